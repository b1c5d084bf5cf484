import SSOShared
import SSOWeb
import Testing

@testable import IdPSignIn
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The events of the waiting page", .program, .alsoOnPostgres)
struct ReplyEventsTests {
    private static let done = "event: done\ndata: done\n\n"

    /// An open stream of a browser, read as it arrives.
    private struct Stream: Sendable {
        let connection: HTTPConnection

        /// Opens it and returns when its first line has arrived.
        init(_ pending: PendingReply, of deployment: TestDeployment) async throws {
            let cookies = (pending.browser.cookies["localhost"] ?? [:]).map { "\($0.key)=\($0.value)" }
            let path = try pending.waiting.replyPaths().events
            let probe = HTTPProbe(port: deployment.port, authority: "localhost:4000")
            let request = probe.request(
                "GET", path, [("Cookie", cookies.joined(separator: "; ")), ("Sec-Fetch-Site", "same-origin")])
            connection = try await onOwnThread { [connection = try probe.connect()] in
                try connection.send(request)
                var bytes: [UInt8] = []
                while !String(decoding: bytes, as: UTF8.self).contains("retry: 500") {
                    let more = try connection.receive()
                    guard !more.isEmpty else { throw ProbeFailure(String(decoding: bytes, as: UTF8.self)) }
                    bytes += more
                }
                return connection
            }
        }

        /// Everything from now to the end of the stream.
        func rest() async throws -> String {
            let bytes = try await onOwnThread { [connection] in try connection.untilEnd() }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// The events of a whole stream.
    private static func events(
        _ pending: PendingReply, in browser: Browser? = nil, _ headers: HTTPProbe.Headers = []
    ) async throws -> Visit {
        try await (browser ?? pending.browser).get(
            pending.waiting.address.resolving(pending.waiting.replyPaths().events), headers)
    }

    @Test("an open stream says done after the answer, and ends; a new one says it at once")
    func answered() async throws {
        try await TestDeployment.receivingReplies { deployment in
            let pending = try await deployment.awaitingReply(by: deployment.browser())
            let stream = try await Stream(pending, of: deployment)
            #expect(try await deployment.deliver(pending.message()) == "accepted")
            let rest = try await stream.rest()
            #expect(rest.contains(Self.done))
            // A comment ends each look without an answer, one second apart.
            #expect(
                rest.split(separator: ":\n\n", omittingEmptySubsequences: false).count <= 3,
                "the page learns of it at the next look: \(rest)")
            let again = try await Self.events(pending)
            #expect(again.status == 200 && again.text.hasSuffix(Self.done))
            #expect(again.reply.header("content-type") == "text/event-stream")
            #expect(again.reply.header("cache-control") == "no-store")
        }
    }

    @Test("a stream says done when the session was replaced, and the new session's stream of a signed-in user too")
    func replaced() async throws {
        try await TestDeployment.receivingReplies { deployment in
            let pending = try await deployment.awaitingReply(by: deployment.browser())
            let stream = try await Stream(pending, of: deployment)
            _ = try await pending.browser.enter(try #require(pending.email.code), on: pending.waiting)
            #expect(try await stream.rest().contains(Self.done))
            #expect(try await Self.events(pending).text == Self.done)
        }
    }

    @Test("a user who is asked to sign in again waits as a visitor does, and goes on after the reply")
    func signInAgain() async throws {
        try await TestDeployment.receivingReplies { deployment in
            let browser = try await deployment.signedIn()
            try await deployment.forgetEmails(to: "ann@example.com")
            let (again, before) = (deployment.authorize(deployment.client, state: "again"), browser.session)
            let form = try await browser.follow(browser.get(again + "&prompt=login"))
            let pending = try await deployment.awaitingReply(by: browser, on: form)
            #expect(browser.session == before, "the session is not renewed without a proof")
            let stream = try await Stream(pending, of: deployment)
            #expect(try await pending.proceed().location().path == "/sign-in/code")
            _ = try await deployment.deliver(pending.message())
            #expect(try await stream.rest().contains(Self.done))
            let complete = try await browser.follow(pending.proceed())
            #expect(try complete.callback().query("state") == "again")
            #expect(browser.session != before)
        }
    }

    @Test("of two tabs with two addresses each learns of its own reply")
    func twoAddresses() async throws {
        try await TestDeployment.receivingReplies(clients: 2) { deployment in
            let browser = deployment.browser()
            func waiting(_ index: Int, _ address: String) async throws -> PendingReply {
                let url = deployment.authorize(deployment.clients[index], state: "state-\(index)")
                let form = try await browser.follow(browser.get(url))
                return try await deployment.awaitingReply(address, by: browser, on: form)
            }
            let first = try await waiting(0, "ann@example.com")
            let second = try await waiting(1, "bob@example.com")
            _ = try await deployment.deliver(first.message())
            #expect(try await second.proceed().location().path == "/sign-in/code", "not the reply of this tab")
            let events = try await Self.events(first)
            #expect(events.text.hasSuffix(Self.done))
            let complete = try await browser.follow(first.proceed())
            #expect(try complete.callback().query("state") == "state-0")
            #expect(complete.text.contains("ann@example.com"))
        }
    }

    @Test("a stream says done when the challenge has expired")
    func expired() async throws {
        try await TestDeployment.receivingReplies { deployment in
            let pending = try await deployment.awaitingReply(by: deployment.browser())
            let stream = try await Stream(pending, of: deployment)
            deployment.clock.advance(by: .minutes(10))
            #expect(try await stream.rest().contains(Self.done))
        }
    }

    @Test("a stream without news ends by itself within the time that every limit permits")
    func quiet() async throws {
        try await TestDeployment.receivingReplies { deployment in
            let pending = try await deployment.awaitingReply(by: deployment.browser())
            let visit = try await Self.events(pending)
            #expect(visit.status == 200)
            #expect(visit.text == "retry: 500\n\n" + String(repeating: ":\n\n", count: 10))
        }
    }

    @Test("without a challenge the answer is 204, which makes a browser stop, and begins no session")
    func nothingToWaitFor() async throws {
        try await TestDeployment.receivingReplies { deployment in
            let browser = deployment.browser()
            let before = try await deployment.rows(of: "session")
            #expect(try await browser.get(deployment.origin + "/sign-in/events").status == 204)
            #expect(browser.session == nil)
            #expect(try await deployment.rows(of: "session") == before)
            _ = try await browser.get(deployment.origin + "/sign-in")
            #expect(try await browser.get(deployment.origin + "/sign-in/events").status == 204)
        }
    }

    @Test("another site gets no stream, and a HEAD none that does not end")
    func refused() async throws {
        try await TestDeployment.receivingReplies { deployment in
            let pending = try await deployment.awaitingReply(by: deployment.browser())
            for site in ["cross-site", "same-site"] {
                let visit = try await Self.events(pending, [("Sec-Fetch-Site", site)])
                #expect(visit.status == 400, "\(site)")
            }
            let address = try pending.waiting.address.resolving(pending.waiting.replyPaths().events)
            for method in ["HEAD", "POST"] {
                #expect(try await pending.browser.send(method, address).status == 405)
            }
        }
    }

    @Test("a third stream for one challenge looks once, says when to come back, and ends")
    func several() async throws {
        try await TestDeployment.receivingReplies { deployment in
            let pending = try await deployment.awaitingReply(by: deployment.browser())
            let first = try await Stream(pending, of: deployment)
            let second = try await Stream(pending, of: deployment)
            #expect(try await Self.events(pending).text == "retry: 5000\n\n")
            _ = try await deployment.deliver(pending.message())
            #expect(try await Self.events(pending).text.hasSuffix(Self.done))
            for stream in [first, second] { #expect(try await stream.rest().contains(Self.done)) }
        }
    }

    @Test("places are bounded for one challenge and for all, and come back")
    func places() {
        let places = StreamPlaces()
        let taken = (0..<StreamPlaces.maximum).count { places.take("chl_\($0 / 2)") }
        #expect(taken == StreamPlaces.maximum)
        #expect(!places.take("chl_other"))
        places.leave("chl_0")
        #expect(!places.take("chl_1"), "it has two already")
        #expect(places.take("chl_0"))
        places.leave("chl_unknown")
        #expect(!places.take("chl_other"))
    }
}
