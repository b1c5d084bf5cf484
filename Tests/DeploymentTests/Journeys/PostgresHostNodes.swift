import Testing

@testable import IdPTestKit
@testable import TestKit

/// Three nodes on one PostgreSQL, with everything that is asked of them while a host of it is gone.
struct PostgresHostNodes {
    /// A token that nobody has redeemed yet.
    struct Kept {
        let token: String
    }

    private final class Names {
        var used: [String] = []
        func next() -> String {
            used.append("group-\(used.count)")
            return used[used.count - 1]
        }
    }

    let pair: ProcessDeployment
    let browser: Browser
    private let names = Names()

    /// How many groups were made. Each was acknowledged.
    var groups: Int { names.used.count }

    /// What the commands need.
    private var settings: [String: String] {
        let names = ["IDP_DATABASE_URL", "IDP_ALLOW_PLAINTEXT_DATABASE", "IDP_SECRET_KEY"]
        return pair.idp.settings.filter { names.contains($0.key) }
    }

    /// Starts the nodes, signs a user in, and stops them after `body`.
    static func running(
        on address: String, settings: [String: String] = [:], _ body: (PostgresHostNodes) async throws -> Void
    ) async throws {
        let pair = try ProcessDeployment(
            idps: 3, settings: settings.merging(["IDP_DATABASE_URL": address]) { $1 })
        try await ProcessDeployment.running(pair) { pair in
            let browser = Browser()
            _ = try await browser.signIn(at: pair.client, of: pair, as: "ann@example.com")
            try await body(PostgresHostNodes(pair: pair, browser: browser))
        }
    }

    /// Waits until every node can be used. Returns how often each one said that it cannot.
    @discardableResult
    func ready(_ when: String) async throws -> [Int] {
        var refusals: [Int] = []
        for idp in pair.idps {
            refusals.append(0)
            try await eventually("\(when): the node is ready") { () -> Void? in
                if try await readiness(of: idp) == 200 { return () }
                refusals[refusals.count - 1] += 1
                return nil
            }
        }
        return refusals
    }

    func readiness(of idp: ProgramProcess) async throws -> Int {
        Int(try await HTTPProbe(host: idp.host, port: idp.port).get("/readyz").status)
    }

    /// A node starts, seven commands work, a user signs in, and a token is redeemed once.
    func work(_ when: String) async throws {
        let group = names.next()
        try await ready(when)
        try await pair.idps[1].terminate()
        try await pair.idps[1].start()
        for arguments in [
            ["client", "list"], ["user", "list"], ["user", "invite", "\(group)@example.org"], ["group", "add", group],
            ["group", "list"], ["audit"], ["database", "status"],
        ] {
            try await pair.idp(arguments, settings: settings)
        }
        try await redeemedOnce(keep(), when)
        #expect(try await browser.isSignedIn(at: pair), "\(when)")
        _ = try await Browser().signIn(at: pair.client, of: pair, as: "\(group)@example.com")
    }

    func keep() async throws -> Kept {
        Kept(token: try await browser.token(for: pair.client, of: pair))
    }

    /// Redeems tokens at each node: one whose last commits have waited for a standby knows that none is lost.
    func eachWrites(times: Int) async throws {
        for idp in pair.idps {
            for _ in 1...times {
                let kept = try await keep()
                #expect(try await pair.verify(kept.token, as: pair.client, at: idp).status == 200)
            }
        }
    }

    /// Of six at once, at all nodes, one redeems it.
    func redeemedOnce(_ kept: Kept, _ when: String) async throws {
        let statuses = try await statuses(of: kept)
        #expect(statuses.count { $0 == 200 } == 1 && statuses.count { $0 == 401 } == 5, "\(when): \(statuses)")
    }

    func redeemedNever(_ kept: Kept, _ when: String) async throws {
        let statuses = try await statuses(of: kept)
        #expect(statuses.allSatisfy { $0 == 401 }, "\(when): \(statuses)")
    }

    private func statuses(of kept: Kept) async throws -> [Int] {
        let pair = pair
        return try await atOnce(6) { index in
            Int(try await pair.verify(kept.token, as: pair.client, at: pair.idps[index % 3]).status)
        }
    }
}
