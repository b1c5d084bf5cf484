import ProbeKit
import Storage
import Testing

@testable import IdPAccounts
@testable import IdPFlow
@testable import IdPSignIn
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit

@Suite("Session slots", .program, .alsoOnPostgres)
struct SessionSlotsTests {
    private struct Note: SessionSlot {
        static let key = "note"
        static let survivesSignIn = true
        var text = ""
    }

    private struct Counter: SessionSlot {
        static let key = "counter"
        static let survivesSignIn = false
        var count = 0
    }

    @Test("a slot that is missing or cannot be decoded is empty, and the other slots stay")
    func tolerant() {
        let slots = SessionSlots(stored: #"{"note":{"text":"kept"},"counter":{"count":"seven"}}"#)
        #expect(slots[Note.self].text == "kept")
        #expect(slots[Counter.self].count == 0)
        #expect(SessionSlots(stored: "{}")[Note.self].text == "")
    }

    @Test("text that is not a JSON object holds no slots, and takes new ones", arguments: ["", "{", "[]", "7", "null"])
    func unreadable(text: String) throws {
        var slots = SessionSlots(stored: text)
        #expect(slots[Note.self].text == "")
        slots[Note.self].text = "new"
        #expect(slots.encoded() == #"{"note":{"text":"new"}}"#)
    }

    @Test("a change keeps every other slot, also one with an unknown key")
    func unknownKeys() throws {
        let text = #"{"later":{"a":[1,2.5,null,true,"é"]},"note":{"text":"old"}}"#
        var slots = SessionSlots(stored: text)
        slots[Note.self].text = "new"
        let again = SessionSlots(stored: slots.encoded())
        #expect(again[Note.self].text == "new")
        #expect(slots.encoded().contains(#""later":{"a":[1,2.5,null,true,"é"]}"#))
        #expect(SessionSlots(stored: text).encoded() == text)
    }

    @Test("a sign-in keeps the slots that survive it, and no slot that is unknown")
    func survival() throws {
        let slots = SessionSlots(stored: #"{"counter":{"count":3},"later":{},"note":{"text":"kept"}}"#)
        let kept = slots.survivingSignIn([Note.self, Counter.self])
        #expect(kept.encoded() == #"{"note":{"text":"kept"}}"#)
    }

    @Test("of the IdP's slots only the pending flows survive a sign-in")
    func idpSurvivingSlots() {
        let slots: [any SessionSlot.Type] = [Flows.self, BrowserChallenges.self, CurrentSignIn.self]
        #expect(slots.filter { $0.survivesSignIn }.map { $0.key } == ["flows"])
    }

    @Test(
        "a session whose slots cannot be read is a visitor's, never an error",
        .oneDeployment, .serialized, arguments: ["", "{", "[]", #"{"flows":7}"#, #"{"sso":7}"#])
    func visitor(text: String) async throws {
        let deployment = try TestDeployment.shared()
        let browser = try await deployment.signedIn(as: deployment.newAddress())
        try await deployment.stored.sessions.setSlots(text)
        #expect(try await !browser.isSignedInOnHomePage(of: deployment))
        #expect(try await browser.get(deployment.origin + "/sign-in").status == 200)
    }

    @Test("a slot that this version cannot read leaves the user signed in")
    func otherVersion() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            var changed = try await deployment.stored.sessions.signedIn.slots()[0]
            changed.removeLast()
            changed += #","later":{"x":1},"challenges":"not what this version expects"}"#
            try await deployment.stored.sessions.setSlots(changed)
            #expect(try await browser.isSignedInOnHomePage(of: deployment))
        }
    }
}
