import Foundation
import Synchronization

/// Measures how fast admin pages are among many accounts, clients and rows of the audit log, and what admins who page through lists
/// do to logins.
struct AdminRun {
    /// The options of the command line that count here.
    static let options: Set<String> = [
        "--rounds", "--seconds", "--seed-accounts", "--seed-audit-rows", "--program", "--parent",
    ]

    /// The longest that a page may take, in milliseconds.
    private static let bound = 100.0
    /// Beside the two that the bench has.
    private static let clients = 498
    private static let admins = 3
    private static let concurrency = 16

    let options: BenchOptions

    func run() throws {
        let folder = "\(options.parent)/swift-sso-bench.\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let accounts = options.seed.accounts > 0 ? options.seed.accounts : 100_000
        let rows = options.seed.auditRows > 0 ? options.seed.auditRows : 1_000_000
        let idp = try IdPUnderTest(
            options.program, folder: folder, label: "this build",
            settings: [
                "IDP_ADMINS": BrowserSignIn.address(0), "IDP_LIMIT_NEW_SESSIONS": "1000000",
                "IDP_LIMIT_EMAIL_POSTS": "1000000", "IDP_LIMIT_CODE_POSTS": "1000000",
            ], furtherClients: Self.clients)
        try idp.start()
        try idp.stop()
        var seed = SeedRows(accounts: accounts, auditRows: rows)
        seed.auditDays = 90
        try seed.insert(into: idp.databasePath)
        try idp.start()
        try idp.signIn(Self.concurrency)
        Report.title("Admin pages: \(accounts) accounts, \(Self.clients + 2) clients, \(rows) rows of the audit log")
        for path in Self.pages {
            let times = try (0..<options.rounds).map { _ in try idp.milliseconds(of: path) }
            Report.line("\(path), at most \(Int(Self.bound)) ms", "\(Report.range(times, 1)) ms")
        }
        try reportLogins(idp)
        try idp.stop()
    }

    private static let pages = [
        "/admin", "/admin/users", "/admin/users?search=seed-5", "/admin/users?group=seed", "/admin/users?state=active",
        "/admin/users/seed-5", "/admin/groups", "/admin/groups/seed", "/admin/services", "/admin/services/bench",
        "/admin/sign-outs", "/admin/audit", "/admin/audit?event=authorize_refused",
        "/admin/audit?user=seed-5@example.com",
        "/admin/trouble?word=seed-5@example.com", "/admin/trouble?word=bench", "/admin/roles", "/admin/settings",
    ]

    private func reportLogins(_ idp: IdPUnderTest) throws {
        let paths = ["/admin/users", "/admin/audit", "/admin/services"]
        var ratios: [Double] = []
        for round in 0..<options.rounds {
            var rates = [0.0, 0.0]
            // The first of a round may have an advantage, so rounds go forth and back.
            for isLoud in round.isMultiple(of: 2) ? [false, true] : [true, false] {
                let readers = isLoud ? try paths.prefix(Self.admins).map { try PageReader(idp, $0) } : []
                let result = try idp.logIn(concurrency: Self.concurrency, seconds: options.seconds)
                for reader in readers { reader.stop() }
                guard result.errors.isEmpty else { throw BenchError("logins failed: \(result.errors)") }
                rates[isLoud ? 1 : 0] = result.perSecond
            }
            ratios.append(rates[1] / rates[0])
        }
        Report.line("logins at \(Self.concurrency), beside \(Self.admins) admins to alone", Report.range(ratios, 2))
    }
}

extension IdPUnderTest {
    /// How long a page takes for the first browser.
    func milliseconds(of path: String) throws -> Double {
        let browser = try BenchBrowser(port: port, authority: authority, index: 0)
        browser.cookie = firstCookie
        let begin = LoadLoop.now()
        try browser.visit(path)
        return Double(LoadLoop.now() - begin) / 1e6
    }
}

/// An admin who opens a page of a list every second.
private final class PageReader: Sendable {
    private let isOver = Atomic(false)
    private let done = DispatchSemaphore(value: 0)

    init(_ idp: IdPUnderTest, _ path: String) throws {
        // Only its own thread uses the connection.
        nonisolated(unsafe) let browser = try BenchBrowser(port: idp.port, authority: idp.authority, index: 0)
        browser.cookie = idp.firstCookie
        Thread { [self] in
            while !isOver.load(ordering: .relaxed) {
                try? browser.visit(path)
                usleep(1_000_000)
            }
            done.signal()
        }.start()
    }

    func stop() {
        isOver.store(true, ordering: .relaxed)
        done.wait()
    }
}
