import Foundation
import Synchronization

/// Measures what a sign-in with a passkey costs, from the assertion to the session, and what a flood of garbage in place of
/// assertions does to logins.
struct PasskeyRun {
    /// The options of the command line that count here.
    static let options: Set<String> = ["--rounds", "--seconds", "--program", "--parent"]

    /// How many sign-ins are measured together. The kernel counts processor time in steps of 10 ms.
    private static let batch = 300
    /// Assertions of garbage in a second.
    private static let flood = 2_000
    /// The limits of a network are not what is measured.
    private static let settings = [
        "IDP_LIMIT_NEW_SESSIONS": "1000000", "IDP_LIMIT_EMAIL_POSTS": "1000000", "IDP_LIMIT_CODE_POSTS": "1000000",
    ]

    let options: BenchOptions

    func run() throws {
        let folder = "\(options.parent)/swift-sso-bench.\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let idp = try IdPUnderTest(
            options.program, folder: "\(folder)/this", label: "this build", settings: Self.settings)
        try idp.start()
        try idp.signIn(1)
        let authenticator = try idp.addPasskey()
        _ = try idp.signInByPasskey(authenticator, count: 50)
        _ = try idp.logIn(concurrency: 1, seconds: 1)
        Report.title("Passkeys of ES256: from the assertion to the session, \(options.rounds * Self.batch) each")
        for atOnce in [1, 16] {
            let times = try (0..<options.rounds).map { _ in
                try idp.signInByPasskey(authenticator, count: Self.batch, atOnce: atOnce)
            }
            Report.line(
                "processor time, \(atOnce) at once (1 ms)", "\(Report.range(times.map { $0 * 1_000 }, 2)) ms"
            )
        }

        var (quiet, loud) = ([UInt32](), [UInt32]())
        var rates: [Double] = []
        for round in 0..<options.rounds {
            // The first of a round may have an advantage, so rounds go forth and back.
            for isLoud in round.isMultiple(of: 2) ? [false, true] : [true, false] {
                let flood = try isLoud ? GarbageFlood(idp, perSecond: Self.flood) : nil
                let login = try idp.logIn(concurrency: 1, seconds: options.seconds)
                guard login.errors.isEmpty else { throw BenchError("logins failed: \(login.errors)") }
                if let flood {
                    rates.append(try flood.stop())
                    loud += login.latencies
                } else {
                    quiet += login.latencies
                }
            }
        }
        try idp.stop()
        Report.title("Logins beside garbage in place of assertions, in turns with logins alone")
        Report.line("garbage per second", Report.range(rates, 0))
        for (name, share) in [("p50", 0.5), ("p99", 0.99)] {
            let (before, after) = (Statistics.percentile(quiet, share), Statistics.percentile(loud, share))
            Report.line(
                "\(name) of a login, alone and beside it",
                "\(Report.number(before / 1_000, 2)) ms, \(Report.number(after / 1_000, 2)) ms: \(Report.number(after / max(before, 1), 2))"
            )
        }
    }
}

extension IdPUnderTest {
    /// Adds a passkey to the account of the first browser, which has just signed in.
    func addPasskey() throws -> BenchAuthenticator {
        var authenticator = try BenchAuthenticator(authority: authority)
        let browser = try BenchBrowser(port: port, authority: authority, index: 0)
        browser.cookie = firstCookie
        try browser.visit("/passkeys/add")
        _ = try browser.submit(formWith: "action=\"/passkeys/add\"", ("passkey", authenticator.create(browser.html)))
        return authenticator
    }

    /// Signs new browsers in.
    ///
    /// - Returns: processor time of the IdP for each, without the page before it, in seconds.
    func signInByPasskey(_ authenticator: BenchAuthenticator, count: Int, atOnce lanes: Int = 1) throws -> Double {
        // Only its own thread uses a browser.
        nonisolated(unsafe) let browsers = try (0..<count).map { index in
            let browser = try BenchBrowser(port: port, authority: authority, index: index % 64)
            try browser.visit("/sign-in")
            return (browser, try authenticator.get(browser.html))
        }
        let (signedIn, done) = (Counter(), DispatchSemaphore(value: 0))
        let before = processorTime
        for lane in 0..<lanes {
            Thread {
                for index in stride(from: lane, to: browsers.count, by: lanes) {
                    let (browser, answer) = browsers[index]
                    let target = try? browser.submit(formWith: "action=\"/sign-in/passkey\"", ("passkey", answer))
                    if target == "/" { signedIn.value.add(1, ordering: .relaxed) }
                }
                done.signal()
            }.start()
        }
        for _ in 0..<lanes { done.wait() }
        let cost = (processorTime - before) / Double(count)
        guard signedIn.value.load(ordering: .relaxed) == count else {
            throw BenchError("a passkey signed nobody in\n\(logEnd)")
        }
        return cost
    }
}

private final class Counter: Sendable {
    let value = Atomic(0)
}

/// Sends text that is no assertion, from many sessions, at a steady rate.
final class GarbageFlood: Sendable {
    /// One answer takes longer than the time between two texts.
    private static let lanes = 16

    private let isOver = Atomic(false)
    private let sent = Atomic(0)
    private let done = DispatchSemaphore(value: 0)
    private let begun = LoadLoop.now()

    init(_ idp: IdPUnderTest, perSecond rate: Int) throws {
        let browsers = try (0..<64).map { index in
            let browser = try BenchBrowser(port: idp.port, authority: idp.authority, index: index)
            try browser.visit("/sign-in")
            return try browser.request(
                formWith: "action=\"/sign-in/passkey\"", ("passkey", String(repeating: "{\"id\":", count: 200)))
        }
        let pause = 1_000_000_000 / UInt64(rate) * UInt64(Self.lanes)
        for lane in 0..<Self.lanes {
            // Only its own thread uses a connection.
            nonisolated(unsafe) let wire = try WireConnection(port: idp.port, index: lane)
            Thread { [self] in
                var (next, number) = (LoadLoop.now(), lane)
                while !isOver.load(ordering: .relaxed) {
                    let now = LoadLoop.now()
                    // Waiting must cost nothing of what is measured.
                    if now < next { usleep(UInt32((next - now) / 1_000)) }
                    next += pause
                    if (try? wire.exchange(browsers[number % browsers.count])) == nil { try? wire.reconnect() }
                    number += Self.lanes
                    sent.add(1, ordering: .relaxed)
                }
                done.signal()
            }.start()
        }
    }

    /// - Returns: how many were sent in a second.
    func stop() throws -> Double {
        isOver.store(true, ordering: .relaxed)
        for _ in 0..<Self.lanes { done.wait() }
        return Double(sent.load(ordering: .relaxed)) / (Double(LoadLoop.now() - begun) / 1e9)
    }
}
