import Foundation
import Testing

@testable import SSOShared
@testable import TestKit

/// Time and load. The limits are short here, so that reaching them takes little time.
@Suite("Limits of the back channel", .rules)
struct BackChannelLimitsTests {
    typealias Fixture = BackChannelFixture
    typealias Outcome = Result<VerifyReply, BackChannelError>

    private static func brief(concurrent: Int = 32, waiting: Int = 1024) -> HTTPLimits {
        HTTPLimits(
            connect: .milliseconds(300), call: .milliseconds(600), queue: .milliseconds(200), bodyBytes: 65536,
            concurrentCalls: concurrent, waitingCalls: waiting)
    }

    @Test("a call to a server that accepts and sends nothing ends at the time limit")
    func hung() async throws {
        let server = try BackChannelStub { _ in .hang }
        defer { server.stop() }
        let start = ContinuousClock.now
        let outcome = await Fixture.outcome(try Fixture.client(server.origin, limits: Self.brief()))
        #expect(outcome == .failure(.unavailable("timed out")))
        #expect((.milliseconds(500)..<(.seconds(25))).contains(ContinuousClock.now - start))
    }

    @Test("a call to a server that sends slowly ends too: the limit is for the whole call")
    func drip() async throws {
        // Interim answers without end: there are always more bytes to read.
        let server = try BackChannelStub { _ in .endless([], again: [UInt8]("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
        defer { server.stop() }
        let start = ContinuousClock.now
        let outcome = await Fixture.outcome(try Fixture.client(server.origin, limits: Self.brief()))
        #expect((try? outcome.get()) == nil)
        #expect(ContinuousClock.now - start < .seconds(25))
    }

    @Test("a question about a session has a limit of its own, which is shorter than that of a call")
    func question() async throws {
        let server = try BackChannelStub { _ in .hang }
        defer { server.stop() }
        // With the limit of a call this test would not end in time.
        let limits = HTTPLimits(call: .seconds(3600), shortCall: .milliseconds(300))
        let client = try Fixture.client(server.origin, limits: limits)
        await #expect(throws: BackChannelError.unavailable("timed out")) {
            try await client.ask(session: "ses_1", user: "usr_1")
        }
        #expect(HTTPLimits().shortCall == .seconds(2) && HTTPLimits(call: .seconds(1)).shortCall == .seconds(1))
    }

    @Test("a call to a closed port fails immediately")
    func refused() async throws {
        let server = try BackChannelStub { _ in .hang }
        server.stop()
        guard case .failure(.unavailable) = await Fixture.outcome(try Fixture.client(server.origin)) else {
            Issue.record("reached a closed port")
            return
        }
    }

    /// Tolerance for a machine that is busy with other tests; the measured time is a hundredth of the limit it must
    /// differ from.
    private static let generous = HTTPLimits(
        connect: .seconds(60), call: .seconds(60), queue: .seconds(60))

    private func calls(_ count: Int, _ client: BackChannelClient) -> [Task<Outcome, Never>] {
        (0..<count).map { _ in Task { await Fixture.outcome(client) } }
    }

    /// Waits at most ten seconds for a condition.
    private func reached(_ condition: () -> Bool) async -> Bool {
        let deadline = ContinuousClock.now + .seconds(10)
        while !condition(), ContinuousClock.now < deadline { await Task.yield() }
        return condition()
    }

    @Test("200 hung calls use 32 connections, delay no call to another server, and end when cancelled")
    func manyHung() async throws {
        let hung = try BackChannelStub { _ in .hang }
        let good = try BackChannelStub { .bytes(Fixture.signed($0)) }
        defer {
            hung.stop()
            good.stop()
        }
        let start = ContinuousClock.now
        let tasks = calls(200, try Fixture.client(hung.origin, limits: Self.generous))
        #expect(await reached { hung.requests.count == 32 })
        #expect(try await Fixture.client(good.origin).verify(token: Fixture.token) == Fixture.reply())
        #expect(hung.connections == 32)
        for task in tasks { task.cancel() }
        for task in tasks { #expect(await task.value == .failure(.unavailable("cancelled"))) }
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test("200 calls to a hung server all end by the limits, on the wire or in the queue")
    func limitsUnderLoad() async throws {
        let server = try BackChannelStub { _ in .hang }
        defer { server.stop() }
        let tasks = calls(200, try Fixture.client(server.origin, limits: Self.brief()))
        var counts: [String: Int] = [:]
        for task in tasks {
            if case .failure(let failure) = await task.value { counts[failure.description, default: 0] += 1 }
        }
        #expect(counts.values.reduce(0, +) == 200)
        #expect(Set(counts.keys) == ["unavailable: timed out", "unavailable: too many calls at once"])
    }

    @Test("more calls than connections all succeed, and the number of connections is limited")
    func line() async throws {
        let server = try BackChannelStub { .bytes(Fixture.signed($0)) }
        defer { server.stop() }
        let limits = HTTPLimits(call: .seconds(20), queue: .seconds(20), concurrentCalls: 4)
        let client = try Fixture.client(server.origin, limits: limits)
        let outcomes = await withTaskGroup(of: Result<VerifyReply, BackChannelError>.self) { group in
            for _ in 0..<200 { group.addTask { await Fixture.outcome(client) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.allSatisfy { $0 == .success(Fixture.reply()) })
        #expect(server.requests.count == 200 && server.connections <= 4)
    }

    @Test("a full queue refuses the next call immediately")
    func fullLine() async throws {
        let server = try BackChannelStub { _ in .hang }
        defer { server.stop() }
        var limits = Self.generous
        limits.concurrentCalls = 1
        limits.waitingCalls = 2
        let client = try Fixture.client(server.origin, limits: limits)
        let outcomes = await withTaskGroup(of: Outcome.self) { group in
            for _ in 0..<10 { group.addTask { await Fixture.outcome(client) } }
            var outcomes: [Outcome] = []
            for await outcome in group {
                outcomes.append(outcome)
                if outcomes.count == 7 { group.cancelAll() }
            }
            return outcomes
        }
        #expect(outcomes.prefix(7).allSatisfy { $0 == .failure(.unavailable("too many calls at once")) })
        #expect(outcomes.suffix(3).allSatisfy { $0 == .failure(.unavailable("cancelled")) })
    }

    @Test("cancelling ends a call immediately, on the wire or in the queue, and frees its place")
    func cancellation() async throws {
        // A call without a redirect URI hangs, a call with one is answered.
        let server = try BackChannelStub { $0.body.count > 100 ? .bytes(Fixture.signed($0)) : .hang }
        defer { server.stop() }
        var limits = Self.generous
        limits.concurrentCalls = 1
        let client = try Fixture.client(server.origin, limits: limits)
        let tasks = calls(5, client)
        #expect(await reached { !server.requests.isEmpty })
        for task in tasks { task.cancel() }
        for task in tasks { #expect(await task.value == .failure(.unavailable("cancelled"))) }
        let next = try await client.verify(token: Fixture.token, redirectURI: "https://rp.example/auth/sso/callback")
        #expect(next == Fixture.reply())
    }

    @Test("a task that was already cancelled makes no call")
    func cancelledBefore() async throws {
        let server = try BackChannelStub { .bytes(Fixture.signed($0)) }
        defer { server.stop() }
        let client = try Fixture.client(server.origin)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await Fixture.outcome(client)
        }
        #expect(await task.value == .failure(.unavailable("cancelled")))
        #expect(server.requests.isEmpty)
    }

    @Test("a client that is no longer used ends its thread")
    func shutdown() async {
        await #expect(processExitsWith: .success) {
            // In a process of its own: other tests have clients, too.
            let server = try BackChannelStub { .bytes(Fixture.signed($0)) }
            for _ in 0..<20 { _ = try await Fixture.client(server.origin).verify(token: Fixture.token) }
            let deadline = ContinuousClock.now + .seconds(10)
            while driverThreads() > 0, ContinuousClock.now < deadline { await Task.yield() }
            guard driverThreads() == 0 else { exit(1) }
            // A client in use has a thread that is counted. A name that is set before the thread's start has returned does
            // not always reach the kernel, and on a busy machine a call may fail: several clients are tried.
            var isCounted = false
            for _ in 0..<20 where !isCounted {
                guard let client = try? Fixture.client(server.origin) else { exit(2) }
                _ = await Fixture.outcome(client)
                isCounted = withExtendedLifetime(client) { driverThreads() > 0 }
            }
            guard isCounted else { exit(3) }
        }
    }

    @Test("proxies of the environment are not used")
    func proxies() async {
        await #expect(processExitsWith: .success) {
            // In a process of its own: all tests of this process share its environment.
            let proxy = try BackChannelStub { _ in .bytesThenClose(Fixture.http("502 Bad Gateway", [], [])) }
            for name in ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
                setenv(name, proxy.origin, 1)
            }
            let server = try BackChannelStub { .bytes(Fixture.signed($0)) }
            let reply = try await Fixture.client(server.origin).verify(token: Fixture.token)
            guard reply == Fixture.reply(), proxy.connections == 0 else { exit(1) }
        }
    }
}

/// How many driver threads this process has.
private func driverThreads() -> Int {
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return threads.count {
        (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8))?.hasPrefix("sso-http") == true
    }
}
