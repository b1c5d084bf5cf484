import Foundation
import SSOShared
import SSOWeb
import Testing

@testable import IdP

/// Contract 3: a page that names the service, with one link to start again there, whatever ended the request.
@Suite("Coming back to a request that is over")
struct FlowsThatAreOverTests {
    /// A browser that has signed in by way of a request of the house's partner, and that request's id.
    private static func finished(_ house: House) async throws -> (visitor: Visitor, flow: String) {
        let visitor = house.visitor()
        let form = try await visitor.beginSignIn(at: house.partner)
        let flow = try #require(form.address.query("flow"))
        let waiting = try await visitor.ask(for: "ann@example.com", on: form)
        #expect(try await visitor.enter(house.letters.code(to: "ann@example.com"), on: waiting).status == 200)
        return (visitor, flow)
    }

    /// The page names the partner, links to its start and nowhere else, and holds no token.
    private static func check(_ visit: Visit, _ house: House, _ comment: Comment) throws {
        #expect(visit.status == 410, comment)
        #expect(visit.text.contains(house.partner.name), comment)
        #expect(try visit.page().links == ["/", house.partner.origin + "/"], comment)
        #expect(!visit.text.contains("sst_"), comment)
    }

    @Test("after a first sign-in Back to the code page, its reload, and the link itself lead to the partner's start")
    func backAfterFirstSignIn() async throws {
        try await House.open { house in
            let (visitor, flow) = try await Self.finished(house)
            let tokens = try await house.rows(of: "sso_token")
            for path in ["/sign-in/code", "/sign-in", SSOPath.complete, SSOPath.complete] {
                let back = try await visitor.follow(visitor.get("\(house.origin)\(path)?flow=\(flow)"))
                try Self.check(back, house, "\(path)")
            }
            // Where the person goes from there: one click, and no code.
            let start = try await visitor.get(house.partner.origin + "/")
            let again = try await visitor.click(start.page().link(containing: SSOPath.authorize), on: start)
            #expect(try again.token().hasPrefix("sst_"))
            #expect(try await house.rows(of: "sso_token") == tokens + 1)
        }
    }

    @Test("ten minutes later, behind eight newer ones, taken by another tab: the same page; nothing is issued for it")
    func whateverEndedIt() async throws {
        try await House.open { house in
            let (visitor, flow) = try await Self.finished(house)
            let complete = "\(house.origin)\(SSOPath.complete)?flow="
            house.clock.advance(by: .minutes(30))
            try Self.check(try await visitor.get(complete + flow), house, "long finished")

            let stranger = house.visitor()
            let old = try #require(try await stranger.beginSignIn(at: house.partner).address.query("flow"))
            house.clock.advance(by: .minutes(10))
            try Self.check(try await stranger.get(complete + old), house, "expired, not signed in")
            for _ in 1...8 { _ = try await stranger.beginSignIn(at: house.partner) }
            try Self.check(try await stranger.get(complete + old), house, "expired and pushed out")

            let other = try await house.signedIn(as: "ben@example.com")
            for browser in [other, house.visitor()] {
                let visit = try await browser.get(complete + flow)
                #expect(visit.status == 404 && !visit.text.contains(house.partner.name), "another browser's")
            }
        }
    }

    @Test("a request that two tabs complete at the same instant goes on once")
    func together() async throws {
        try await House.open { house in
            let visitor = house.visitor()
            let form = try await visitor.beginSignIn(at: house.partner)
            let waiting = try await visitor.ask(for: "ann@example.com", on: form)
            let code = try await house.letters.code(to: "ann@example.com")
            let signedIn = try await visitor.submit(waiting.page().form(with: "code"), on: waiting, ["code": code])
            let complete = try signedIn.location()
            let visits = try await withThrowingTaskGroup(of: Visit.self) { group in
                for _ in 1...8 {
                    let twin = visitor.twin()
                    group.addTask { try await twin.get(complete) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(visits.count { $0.status == 303 } == 1)
            for late in visits where late.status != 303 { try Self.check(late, house, "late") }
        }
    }

    @Test("what is kept is an id, a client and an address: no state, nothing a token could be issued for, and sixteen")
    func kept() throws {
        let now = TestClock().now
        var flows = PendingFlows()
        for number in 1...40 {
            let request = AuthorizeRequest(
                clientID: "c\(number)", redirectURI: "https://rp.example/cb", state: "secret-\(number)",
                codeChallenge: "challenge-\(number)")
            flows.add(request, id: "f\(number)", now: now)
            #expect(flows.take("f\(number)", now: now)?.state == "secret-\(number)")
            let again = flows.take("f\(number)", now: now)
            #expect(again == nil && flows.waiting("f\(number)", now: now) == nil)
        }
        let text = String(decoding: try JSONEncoder().encode(flows), as: UTF8.self)
        #expect(!text.contains("secret") && !text.contains("challenge"))
        #expect((1...40).filter { flows.over("f\($0)") != nil } == Array(25...40))
        #expect(flows.over("f40")?.clientID == "c40" && flows.over("other") == nil)
    }
}
