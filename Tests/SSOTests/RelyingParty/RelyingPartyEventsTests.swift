import Foundation
import Logging
import SSOClient
import SSOShared
import SSOWeb
import Testing

@testable import IdPTestKit
@testable import RelyingParty
@testable import TestKit

@Suite("The events of the relying party", .program)
struct RelyingPartyEventsTests {
    @Test("each kind is in the list, once, and says what it means")
    func list() throws {
        let file = TestVectors.repository.appending(path: "Sources/RelyingParty/Events/RelyingPartyEvents.swift")
        let made = try String(contentsOf: file, encoding: .utf8).matches(of: #/EventKind\(\s*"([a-z_]+)"/#)
        let kinds = RelyingPartyEvents.all
        #expect(made.map { String($0.1) }.sorted() == kinds.map(\.id).sorted())
        for kind in kinds {
            #expect(!kind.help.isEmpty && kind.causes.allSatisfy { !$0.remedy.isEmpty }, "\(kind.id)")
        }
    }

    @Test(
        "each cause of a refused sign-out message has a remedy; one of a signature, which anyone can send, is no warning"
    )
    func refusedMessages() throws {
        let receiver = SignOutReceiver(
            clientID: FakeIdP.clientID, secret: try .parse(FakeIdP.secret, setting: "secret"))
        func message(to client: String, at seconds: Int) -> [UInt8] {
            SignOutMessage(id: "evt_1", clientID: client, user: "ann", session: nil, issuedAt: seconds).body()
        }
        let right = message(to: FakeIdP.clientID, at: 1_790_000_000)
        let posts: [(body: [UInt8], signature: String?, type: String)] = [
            (right, nil, "application/json"), (right, "sha256=00", "application/json"),
            (right, try FakeIdP.signature(of: right), "text/plain"),
        ]
        let signed = [
            Array("{}".utf8), message(to: "other", at: 1_790_000_000), message(to: FakeIdP.clientID, at: 1_780_000_000),
        ]
        var causes: Set<String> = []
        for (body, signature, type) in posts
            + (try signed.map { ($0, try FakeIdP.signature(of: $0), "application/json") })
        {
            do {
                _ = try receiver.read(
                    body, signatures: [signature].compactMap(\.self), contentTypes: [type],
                    now: Date(timeIntervalSince1970: 1_790_000_000))
                Issue.record("was read: \(String(decoding: body, as: UTF8.self))")
            } catch {
                let level: Logger.Level = error.code == .invalidSignature ? .info : .warning
                #expect(
                    Event(RelyingPartyEvents.signOutRejected, cause: error.cause).lineLevel == level, "\(error.cause)")
                causes.insert(error.cause)
            }
        }
        #expect(causes == Set(RelyingPartyEvents.signOutRejected.causes.map(\.id)))
    }

    @Test("each answer that ends a session has its meaning, and the line the names of before")
    func ends() {
        let reasons: [SessionEndReason] = [.signedOut, .noAccess, .accountEnded, .expired, .unknown]
        let ends = reasons.filter(\.endsSession).map(\.rawValue)
        #expect(RelyingPartyEvents.signedOut.causes.map(\.id) == ends)
        let event = Event(RelyingPartyEvents.signedOut, account: "usr_1", cause: "no_access")
        #expect(event.metadata == ["user": "usr_1", "reason": "no_access"])
        #expect(Event(RelyingPartyEvents.signedOut).metadata.isEmpty)
    }
}
