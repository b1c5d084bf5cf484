import Testing

@testable import IdPTestKit
@testable import TestKit

extension Journeys.Operators {
    /// An address names two servers, and one of them is gone: it answers nothing, is stopped, or comes back as an old primary.
    @Suite("Hosts of PostgreSQL that are gone", .journey, .dependsOnMachine)
    struct PostgresHosts {
        /// A primary, its synchronous standby, and three nodes that know both by a relay before each.
        private struct Place {
            let nodes: PostgresHostNodes
            let primary, standby: PostgreSQLServer
            let first, second: PostgreSQLRelay
        }

        private static func open(_ body: (Place) async throws -> Void) async throws {
            try await PostgreSQLServer.open { primary in
                let standby = try await primary.standby(port: 5433)
                try await primary.waits(for: "standby-5433")
                let (first, second) = (try PostgreSQLRelay(before: primary), try PostgreSQLRelay(before: standby))
                let address = "host=127.0.0.1,127.0.0.1 port=\(first.port),\(second.port) user=postgres dbname=postgres"
                try await PostgresHostNodes.running(on: address) { nodes in
                    try await body(
                        Place(nodes: nodes, primary: primary, standby: standby, first: first, second: second))
                }
                (first.network, second.network) = (.cut, .cut)
                try await standby.stop()
            }
        }

        @Test(
            "a start, seven commands and sign-ins work while either answers nothing, is stopped, or is an old primary that runs again",
            .timeLimit(.minutes(30)))
        func gone() async throws {
            try await Self.open { place in
                let nodes = place.nodes
                try await nodes.work("before")
                // The standby's machine is away for programs; replication has another way.
                place.second.network = .stalled
                try await nodes.work("the second host answers nothing")
                place.second.network = .whole
                place.first.network = .stalled
                try await place.standby.promote()
                try await nodes.work("the first host answers nothing")
                let written = nodes.groups
                // It comes back, and takes writes as before.
                place.first.network = .whole
                try await place.standby.waits(for: "")
                try await place.standby.endSessions()
                try await nodes.work("the first host is an old primary")
                #expect(try await place.primary.groups() == written - 1, "the old primary was written to")
                try await place.primary.kill()
                try await nodes.work("the first host is stopped")
                #expect(try await place.standby.groups() == nodes.groups, "a group was lost or made twice")
                try await place.primary.start()
            }
        }

        /// Two machines that lose all packets, in place of relays.
        @Test(
            "the same with machines that vanish and come back, and nothing is lost, made twice or redeemed twice",
            .enabled(if: SeparateMachines.canBeMade, "network namespaces need root"), .timeLimit(.minutes(30)))
        func vanished() async throws {
            try await SeparateMachines.open { machines in
                let (first, second) = (machines.machines[0], machines.machines[1])
                // A connection whose packets were lost is given up early, so that replication goes on soon.
                let settings = [
                    "wal_sender_timeout=3s", "wal_receiver_timeout=3s", "wal_retrieve_retry_interval=200ms",
                ]
                try await PostgreSQLServer.open(settings: settings, on: first) { old in
                    let new = try await old.standby(port: 5433, on: second)
                    try await old.waits(for: "standby-5433")
                    // Longer than a call is patient: a process that waits for a machine that has vanished fails.
                    let address = """
                        host=\(first.address),\(second.address) port=5432,5433 user=postgres dbname=postgres \
                        sslmode=disable connect_timeout=10
                        """
                    try await PostgresHostNodes.running(on: address, settings: ["IDP_ALLOW_PLAINTEXT_DATABASE": "true"])
                    {
                        try await Self.story(of: $0, on: machines, old: old, new: new)
                    }
                    try await new.stop()
                }
            }
        }

        private static func story(
            of nodes: PostgresHostNodes, on machines: SeparateMachines, old: PostgreSQLServer, new: PostgreSQLServer
        ) async throws {
            let (first, second) = (machines.machines[0], machines.machines[1])
            try await nodes.work("before")

            // The standby vanishes. Its operator, or Patroni, lets the primary go on without it.
            try await machines.vanish(second)
            try await old.waits(for: "")
            try await nodes.work("the standby has vanished")
            try await machines.reappear(second)
            try await eventually("the standby follows again") { () -> Void? in
                try await old.run(["SELECT state FROM pg_stat_replication"]).rows == ["streaming"] ? () : nil
            }
            try await old.waits(for: "standby-5433")
            try await nodes.work("the standby is back")

            // The primary vanishes with a token that was redeemed, and one that was not. It runs on by itself.
            try await nodes.eachWrites(times: 3)
            let used = try await nodes.keep()
            try await nodes.redeemedOnce(used, "before the failover")
            let unused = try await nodes.keep()
            let written = nodes.groups
            try await machines.vanish(first)
            try await new.promote()
            let refusals = try await nodes.ready("the primary has vanished")
            // Each refusal took at most the four seconds of a call, which are the connections whose packets were lost.
            #expect(refusals.allSatisfy { $0 <= 1 }, "\(refusals)")
            try await nodes.redeemedNever(used, "after the failover")
            try await nodes.redeemedOnce(unused, "after the failover")
            try await nodes.work("the primary has vanished")

            // It comes back, and would acknowledge a write.
            try await old.waits(for: "")
            try await machines.reappear(first)
            try await new.endSessions()
            try await nodes.work("the old primary is back")

            // The new one vanishes as well: the old one is no way out.
            try await machines.vanish(second)
            for idp in nodes.pair.idps {
                try await eventually("no node is ready") { () -> Void? in
                    try await nodes.readiness(of: idp) == 503 ? () : nil
                }
            }
            #expect(try await nodes.readiness(of: nodes.pair.idps[0]) == 503)
            try await machines.reappear(second)
            try await nodes.work("the new primary is back")
            #expect(try await old.groups() == written, "the old primary was written to")

            try await old.kill()
            try await nodes.work("the old primary is stopped")
            #expect(try await new.groups() == nodes.groups, "a group was lost or made twice")
            try await old.start()
        }
    }
}

extension PostgreSQLServer {
    /// Names the standbys that commits wait for.
    fileprivate func waits(for names: String) async throws {
        let value = names.isEmpty ? "" : "\"\(names)\""
        let change = "ALTER SYSTEM SET synchronous_standby_names = '\(value)'"
        #expect(try await run([change, "SELECT pg_reload_conf()"]).errors.isEmpty)
        try await eventually("commits wait for \(names)") { () -> Void? in
            let states = try await run(["SELECT sync_state FROM pg_stat_replication"]).rows
            return names.isEmpty || states == ["sync"] ? () : nil
        }
    }

    /// Ends what programs have opened: they connect again.
    fileprivate func endSessions() async throws {
        _ = try await run([
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        ])
    }

    fileprivate func groups() async throws -> Int? {
        try await run(["SELECT COUNT(*) FROM user_group"]).rows.first.flatMap { Int($0) }
    }
}
