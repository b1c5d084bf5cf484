import SSOShared
import Storage
import Synchronization
import Testing

@testable import Counterparts
@testable import IdP
@testable import IdPClients
@testable import IdPOperations
@testable import IdPSSO
@testable import IdPSignOut
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// Threats 210, 213 and 214.
@Suite("Messages to clients about ended sessions", .program)
struct SignOutSenderTests {
    @Test("the message is the one of docs/protocol.md, with its signature, byte for byte")
    func vector() throws {
        let address = "https://partner.example.com/auth/sso/logout"
        let client = Client(
            id: "partner", name: "Partner", redirectURIs: [],
            secrets: [try .parse("correct-horse-battery-staple-0123456789", setting: "secret")]
        ).ofSSO(logoutURI: address)
        let start = Timestamp(milliseconds: 0)
        let message = QueuedSignOut(
            id: "evt_q83vEjRWeJCrze8SNFZ4kA", kind: "sso", clientID: "partner",
            accountID: "usr_TC6ZJ0c1ROGX3mTnvVYkbA", toldSession: "ses_5FhGmX0bTzKk2wYdQp7r-w", createdAt: start,
            tries: 1, nextTryAt: start, endsAt: start, lastError: nil, state: .waiting)
        let now = Timestamp(milliseconds: 1_790_000_000_000)
        let request = try #require(SSOSignOut().request(for: message, to: SignOutRecipient(client), at: now))
        guard case .post(let body) = request.method else { return #expect(Bool(false)) }
        #expect(
            String(decoding: body, as: UTF8.self)
                == #"{"event":"logout","id":"evt_q83vEjRWeJCrze8SNFZ4kA","client_id":"partner","user":"usr_TC6ZJ0c1ROGX3mTnvVYkbA","session":"ses_5FhGmX0bTzKk2wYdQp7r-w","issued_at":1790000000}"#
        )
        #expect(
            request.headers.contains(
                "X-SSO-Signature: sha256=39d8b7a36a48e20a471ae60d160fa5b3cd7a2dba0865cafd213cd2fe93a463d2"))
        #expect(request.headers.contains("X-SSO-Client: partner"))
        #expect(request.url == address && !request.allowsHTTP)
    }

    @Test(
        "a client that does not take the message gets it again after 10 seconds, 1, 5, 15 minutes and then hourly, with the same id and a new time; after 24 hours it is given up",
        arguments: [302, 400, 401, 500])
    func schedule(status: Int) async throws {
        try await SignOutScene.open(transport: ScriptedTransport { _, _ in status }) { scene in
            let begin = scene.clock.now
            try await scene.entered("ses_a")
            try await scene.end(.one("ses_a"))
            var times: [Duration] = []
            while try await scene.messages().first?.state == .waiting {
                let next = try #require(try await scene.messages().first?.nextTryAt)
                scene.clock.advance(by: next - scene.clock.now - .milliseconds(1))
                #expect(await scene.sender.round() == 0)
                scene.clock.advance(by: .milliseconds(1))
                #expect(await scene.sender.round() == 1)
                times.append(scene.clock.now - begin)
            }
            let first: [Duration] = [.zero, .seconds(10), .seconds(70), .seconds(370), .seconds(1270), .seconds(4870)]
            #expect(Array(times.prefix(6)) == first)
            #expect(zip(times.dropFirst(4), times.dropFirst(5)).dropLast().allSatisfy { $1 - $0 == .hours(1) })
            #expect(times.last == .hours(24))
            let sent = scene.transport.messages
            #expect(Set(sent.map(\.id)).count == 1 && sent.count == times.count)
            #expect(sent.map(\.issuedAt) == times.map { (begin + $0).seconds })
            #expect(try await scene.events(.signOutGivenUp).map(\.cause) == ["status_\(status)"])
            #expect(try await scene.events(.signOutFailed).count == 1)
            #expect(scene.log.contains("error sign_out_given_up"))
            scene.clock.advance(by: .days(2))
            #expect(await scene.sender.round() == 0)
        }
    }

    @Test("200, 202 and 204 deliver the message, and it is not sent again", arguments: [200, 202, 204])
    func delivered(status: Int) async throws {
        try await SignOutScene.open(transport: ScriptedTransport { _, _ in status }) { scene in
            try await scene.entered("ses_a")
            try await scene.end(.one("ses_a"))
            #expect(await scene.sender.round() == 1)
            #expect(try await scene.messages().first?.state == .delivered(scene.clock.now))
            scene.clock.advance(by: .hours(2))
            #expect(await scene.sender.round() == 0)
            #expect(try await scene.events(.signOutQueued, .signOutDelivered).map(\.client) == ["wiki", "wiki"])
        }
    }

    @Test("a client that was down for an hour gets the message with its next try")
    func down() async throws {
        let isUp = Atomic(false)
        let transport = ScriptedTransport { _, _ throws(ConnectionError) in
            guard isUp.load(ordering: .relaxed) else { throw .notConnected("refused") }
            return 204
        }
        try await SignOutScene.open(transport: transport) { scene in
            try await scene.entered("ses_a")
            try await scene.end(.one("ses_a"))
            for _ in 0..<60 {
                await scene.sender.round()
                scene.clock.advance(by: .minutes(1))
            }
            isUp.store(true, ordering: .relaxed)
            #expect(try await scene.messages().first?.state == .waiting)
            scene.clock.advance(by: .hours(1))
            #expect(await scene.sender.round() == 1)
            #expect(try await scene.messages().first?.state.name == "delivered")
        }
    }

    @Test(
        "while many messages wait for a client that is down, it gets two tries in a second, and all at once when it is back"
    )
    func paced() async throws {
        let isUp = Atomic(false)
        let transport = ScriptedTransport { message, _ throws(ConnectionError) in
            guard message.clientID == "blog" || isUp.load(ordering: .relaxed) else { throw .notConnected("refused") }
            return 204
        }
        try await SignOutScene.open(clients: ["wiki", "blog"], transport: transport) { scene in
            for number in 1...30 { try await scene.entered("ses_\(number)", ["wiki", "blog"]) }
            for number in 1...30 { try await scene.end(.one("ses_\(number)")) }
            for _ in 1...40 { await scene.sender.round() }
            let sent = scene.transport.messages
            #expect(sent.count { $0.clientID == "wiki" } == 2)
            #expect(sent.count { $0.clientID == "blog" } == 30, "no other client waits")
            scene.clock.advance(by: .seconds(1))
            for _ in 1...10 { await scene.sender.round() }
            #expect(scene.transport.messages.count { $0.clientID == "wiki" } == 4)
            isUp.store(true, ordering: .relaxed)
            scene.clock.advance(by: .seconds(1))
            for _ in 1...20 { await scene.sender.round() }
            #expect(try await scene.messages().count { $0.state.name == "delivered" } == 56)
        }
    }

    @Test(
        "a message whose process has ended while it was being tried is tried again within 15 seconds, with the same id")
    func lease() async throws {
        try await SignOutScene.open { scene in
            try await scene.entered("ses_a")
            try await scene.end(.one("ses_a"))
            let now = scene.clock.now
            // The other process takes it, and is killed.
            let taken = try await scene.database.write { connection in
                try scene.signOuts.queue.take(
                    try scene.signOuts.queue.due(at: now, except: [], connection), at: now, connection)
            }
            #expect(taken.count == 1)
            scene.clock.advance(by: .seconds(14))
            #expect(await scene.sender.round() == 0)
            scene.clock.advance(by: .seconds(1))
            #expect(await scene.sender.round() == 1)
            #expect(scene.transport.messages.map(\.id) == taken.map(\.id))
            #expect(try await scene.messages().first?.state.name == "delivered")
        }
    }

    @Test("two messages are under way to one client at once, 20 in all, and a client with many waiting delays no other")
    func places() async throws {
        let names = (1...15).map { "client-\($0)" }
        try await SignOutScene.open(clients: ["slow"] + names) { scene in
            for number in 1...50 { try await scene.entered("ses_slow_\(number)", ["slow"]) }
            for number in 1...50 { try await scene.end(.one("ses_slow_\(number)")) }
            scene.clock.advance(by: .milliseconds(1))
            for number in 1...3 { try await scene.entered("ses_\(number)", names) }
            for number in 1...3 { try await scene.end(.one("ses_\(number)")) }
            let now = scene.clock.now
            let first = try await scene.take(at: now)
            #expect(first.count == 20)
            let counts = Dictionary(first.map { ($0.clientID, 1) }, uniquingKeysWith: +)
            #expect(counts["slow"] == 2 && counts.values.allSatisfy { $0 <= 2 })
            // All places are taken, whatever another process asks for.
            #expect(try await scene.take(at: now).isEmpty)
            // The others end, those to the slow client do not.
            try await scene.database.write { connection in
                for message in first where message.clientID != "slow" {
                    try scene.signOuts.queue.deliver(message.id, at: now, connection)
                }
            }
            let second = try await scene.take(at: now)
            #expect(second.count == 18 && second.allSatisfy { $0.clientID != "slow" })
        }
    }

    @Test(
        "more than 10,000 messages to one client do not wait: the next one is left out with an alarm, at most one in an hour"
    )
    func bound() async throws {
        try await SignOutScene.open { scene in
            let now = scene.clock.now
            try await scene.database.write { connection in
                for number in 0..<SignOutQueue.maximumWaiting {
                    try scene.signOuts.queue.add(
                        .init(kind: "sso", clientID: "wiki", accountID: "usr_\(number)", toldSession: nil), at: now,
                        connection)
                }
            }
            try await scene.entered("ses_a", ["wiki", "silent"])
            #expect(try await scene.end(.one("ses_a")) == SignOuts.Told(queued: 1, dropped: 1))
            #expect(try await scene.events(.signOutGivenUp).map(\.cause) == ["queue_full"])
            #expect(try await scene.messages().count == SignOutQueue.maximumWaiting + 1)

            func alarms() async throws -> [Substring] {
                _ = try await scene.sender.purge(limit: 1)
                return scene.log.text.split(separator: "\n").filter { $0.hasPrefix("error sign_out_given_up") }
            }
            #expect(try await alarms().count == 1)
            let line = try #require(try await alarms().first)
            #expect(line.contains("wiki") && line.contains("queue_full") && !line.contains("silent"))
            for (number, count) in [1, 2, 2, 3].enumerated() {
                scene.clock.advance(by: .minutes(31))
                try await scene.entered("ses_more_\(number)")
                #expect(try await scene.end(.one("ses_more_\(number)")).dropped == 1)
                #expect(try await alarms().count == count)
            }
            for pause in [Duration.minutes(5), .hours(3)] {
                scene.clock.advance(by: pause)
                #expect(try await alarms().count == 3, "nothing was left out since")
            }
        }
    }

    @Test("a message to a client that takes none, or is not registered any more, leaves the queue without a try")
    func notNeeded() async throws {
        try await SignOutScene.open { scene in
            try await scene.entered("ses_a", ["silent", "gone"])
            try await scene.end(.one("ses_a"))
            #expect(await scene.sender.round() == 2)
            #expect(scene.transport.requests.isEmpty)
            #expect(try await scene.messages().isEmpty)
        }
    }

    @Test(
        "a retry by an operator tries a message at once, also one that was given up, and never one that was delivered")
    func retry() async throws {
        let isUp = Atomic(false)
        let transport = ScriptedTransport { _, _ in isUp.load(ordering: .relaxed) ? 200 : 500 }
        try await SignOutScene.open(transport: transport) { scene in
            try await scene.entered("ses_a")
            try await scene.end(.one("ses_a"))
            let changes = OperatorChanges(scene.database, by: .program, clock: scene.clock.clock)
            await scene.sender.round()
            #expect(try await changes.make(RetrySignOuts(.all(client: nil))).isChanged)
            scene.clock.advance(by: .hours(25))
            await scene.sender.round()
            let id = try #require(try await scene.messages().first?.id)
            #expect(try await scene.messages().first?.state.name == "given_up")
            #expect(try await changes.make(RetrySignOuts(.one(id))).result == 1)
            isUp.store(true, ordering: .relaxed)
            // The try of a moment ago has failed.
            scene.clock.advance(by: .seconds(1))
            #expect(await scene.sender.round() == 1)
            #expect(try await scene.messages().first?.state.name == "delivered")
            #expect(try await !changes.make(RetrySignOuts(.one(id))).isChanged)
            await #expect(throws: ChangeError.self) { try await changes.make(RetrySignOuts(.one("evt_none"))) }
        }
    }

    @Test(
        "addresses that lead into the network of the machine, or to a cloud's metadata, are refused; private ones are not",
        arguments: [
            ([169, 254, 169, 254], true), ([169, 254, 0, 1], true), ([0, 0, 0, 0], true), ([224, 0, 0, 1], true),
            ([100, 100, 100, 200], true), ([192, 0, 0, 192], true), ([168, 63, 129, 16], true),
            ([0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], true),
            ([0xfd, 0, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54], true),
            ([0xfd, 0, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x23], true),
            ([0xfd, 0x20, 0, 0xce, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54], true),
            ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 169, 254, 169, 254], true),
            ([0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0, 169, 254, 169, 254], true),
            ([0, 0x64, 0xff, 0x9b, 0, 1, 0, 0, 0, 0, 0, 0, 169, 254, 169, 254], true),
            ([0, 0x64, 0xff, 0x9b, 0, 1, 0xa9, 0xfe, 0, 0xa9, 0xfe, 0, 0, 0, 0, 0], true),
            ([UInt8](repeating: 0, count: 16), true), ([], true),
            ([10, 0, 0, 7], false), ([192, 168, 1, 7], false), ([127, 0, 0, 1], false), ([93, 184, 216, 34], false),
            ([0xfd, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], false),
            ([0xfd, 0, 0x0e, 0xc3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], false),
            ([0xfd, 0x20, 0, 0xce, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], false),
            ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 7], false),
        ] as [([UInt8], Bool)])
    func addresses(octets: [UInt8], isRefused: Bool) {
        #expect((SignOutAddress.error(octets) != nil) == isRefused)
    }

    @Test(
        "over plain http a message goes to this machine and to private addresses only, wherever the name leads",
        arguments: [
            ([10, 0, 0, 7], nil), ([192, 168, 1, 7], nil), ([172, 16, 0, 1], nil), ([100, 64, 0, 1], nil),
            ([127, 0, 0, 1], nil), ([0xfd, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], nil),
            ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], nil),
            ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 7], nil),
            ([93, 184, 216, 34], "public"), ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 8, 8, 8, 8], "public"),
            ([0x26, 0x06, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], "public"),
            ([169, 254, 169, 254], "link-local"), ([100, 100, 100, 200], "metadata"),
            ([0xfd, 0, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54], "metadata"),
            ([0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], "link-local"),
        ] as [([UInt8], String?)])
    func plainAddresses(octets: [UInt8], error: String?) {
        #expect(SignOutAddress.errorOverPlainHTTP(octets) == error)
    }

    @Test(
        "a message over plain http is held to that rule, and any other one may go to a public address",
        arguments: [true, false])
    func plainRequests(isPlain: Bool) async throws {
        try await SignOutScene.open(isPlain: isPlain) { scene in
            try await scene.entered("ses_a")
            try await scene.end(.one("ses_a"))
            #expect(await scene.sender.round() == 1)
            let request = try #require(scene.transport.requests.first)
            #expect(request.allowsHTTP == isPlain && request.url.hasPrefix(isPlain ? "http://wiki.lan/" : "https://"))
            let check = try #require(request.addressError)
            #expect(check([8, 8, 8, 8]) == (isPlain ? "public" : nil))
            #expect(check([10, 0, 0, 7]) == nil && check([169, 254, 169, 254]) == "link-local")
        }
    }

    @Test(
        "over a real connection: no redirect is followed, a long answer is ignored, and no answer ends after five seconds"
    )
    func connection() async throws {
        let http = try HTTPClient.forSignOuts()
        let stub = try BackChannelStub { request in
            switch request.body.first {
            case UInt8(ascii: "r"):
                .bytes(BackChannelFixture.http("302 Found", ["Location: /elsewhere"], []))
            case UInt8(ascii: "l"):
                .bytesThenClose(
                    BackChannelFixture.http("200 OK", [], [UInt8](repeating: 0x61, count: 1 << 20)))
            default: .hang
            }
        }
        func post(_ text: String) async throws(ConnectionError) -> Int {
            var request = HTTPClient.Request(url: stub.origin)
            (request.method, request.allowsHTTP) = (.post(Array(text.utf8)), true)
            request.addressError = SignOutAddress.error
            return try await http.send(request).status
        }
        #expect(try await post("r") == 302)
        #expect(try await post("l") == 200)
        await #expect(throws: ConnectionError.timedOut) { try await post("hang") }
        #expect(stub.requests.count == 3)
        stub.stop()
    }
}

extension SignOutScene {
    fileprivate func take(at now: Timestamp) async throws -> [QueuedSignOut] {
        try await database.write { connection in
            try signOuts.queue.take(try signOuts.queue.due(at: now, except: [], connection), at: now, connection)
        }
    }
}
