import Testing

@testable import IdPTestKit
@testable import TestKit

extension Journeys.Operators {
    /// An address names two servers, and one of them is gone: it answers nothing, is stopped, or comes back as an old primary.
    @Suite("Hosts of PostgreSQL that are gone")
    struct PostgresHosts {
        /// A primary, its synchronous standby, a network before each, and three nodes that know both.
        private struct Place {
            let pair: ProcessDeployment
            let primary, standby: PostgreSQLServer
            let first, second: PostgreSQLRelay
            let browser: Browser
            let names = Names()

            /// What the commands need.
            var settings: [String: String] {
                pair.idp.settings.filter { ["IDP_DATABASE_URL", "IDP_SECRET_KEY"].contains($0.key) }
            }
        }

        private final class Names {
            var used: [String] = []
            func next() -> String {
                used.append("group-\(used.count)")
                return used[used.count - 1]
            }
        }

        private static func open(_ body: (Place) async throws -> Void) async throws {
            try await PostgreSQLServer.open { primary in
                let standby = try await primary.standby(port: 5433)
                _ = try await primary.run([
                    "ALTER SYSTEM SET synchronous_standby_names = '\"standby-5433\"'", "SELECT pg_reload_conf()",
                ])
                let (first, second) = (try PostgreSQLRelay(before: primary), try PostgreSQLRelay(before: standby))
                let pair = try ProcessDeployment(
                    idps: 3,
                    settings: [
                        "IDP_DATABASE_URL":
                            "host=127.0.0.1,127.0.0.1 port=\(first.port),\(second.port) user=postgres dbname=postgres"
                    ])
                try await ProcessDeployment.running(pair) { pair in
                    let browser = Browser()
                    _ = try await browser.signIn(at: pair.client, of: pair, as: "ann@example.com")
                    try await body(
                        Place(
                            pair: pair, primary: primary, standby: standby, first: first, second: second,
                            browser: browser))
                }
                (first.network, second.network) = (.cut, .cut)
                try await standby.stop()
            }
        }

        /// A node starts, seven commands work, a token is issued and redeemed once.
        private static func works(_ place: Place, _ when: String) async throws {
            let pair = place.pair
            let group = place.names.next()
            for idp in pair.idps {
                let probe = HTTPProbe(host: idp.host, port: idp.port)
                try await eventually("\(when): the node is ready") { () -> Void? in
                    try await probe.get("/readyz").status == 200 ? () : nil
                }
            }
            try await pair.idps[1].terminate()
            try await pair.idps[1].start()
            for arguments in [
                ["client", "list"], ["user", "list"], ["user", "invite", "\(group)@example.org"],
                ["group", "add", group],
                ["group", "list"], ["audit"], ["database", "status"],
            ] {
                try await pair.idp(arguments, settings: place.settings)
            }
            let token = try await place.browser.token(for: pair.client, of: pair, state: group)
            let statuses = try await atOnce(6) { index in
                try await pair.verify(token, as: pair.client, at: pair.idps[index % 3]).status
            }
            #expect(statuses.count { $0 == 200 } == 1 && statuses.count { $0 == 401 } == 5, "\(when): \(statuses)")
            #expect(try await place.browser.isSignedIn(at: pair), "\(when)")
        }

        @Test(
            "a start, seven commands and sign-ins work while either answers nothing, is stopped, or is an old primary that runs again",
            .timeLimit(.minutes(30)))
        func gone() async throws {
            try await Self.open { place in
                try await Self.works(place, "before")
                // The standby's machine is away for programs; replication has another way.
                place.second.network = .stalled
                try await Self.works(place, "the second host answers nothing")
                place.second.network = .whole
                place.first.network = .stalled
                try await place.standby.promote()
                try await Self.works(place, "the first host answers nothing")
                let written = place.names.used.count
                // It comes back, and takes writes as before.
                place.first.network = .whole
                _ = try await place.standby.run([
                    "ALTER SYSTEM SET synchronous_standby_names = ''", "SELECT pg_reload_conf()",
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
                ])
                try await Self.works(place, "the first host is an old primary")
                let old = try await place.primary.run(["SELECT COUNT(*) FROM user_group"]).rows
                #expect(old == ["\(written - 1)"], "the old primary was written to")
                try await place.primary.kill()
                try await Self.works(place, "the first host is stopped")
                let groups = try await place.standby.run(["SELECT COUNT(*) FROM user_group"]).rows
                #expect(groups == ["\(place.names.used.count)"], "a group was lost or made twice")
                try await place.primary.start()
            }
        }
    }
}
