import Foundation
import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

extension Journeys.Operators {
    /// With libfaketime (package faketime) in a real process: a file sets its wall clock.
    @Suite("A wall clock that jumps", .journey)
    struct Clock {
        private static let library: String? = {
            let folders = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib")) ?? []
            return folders.map { "/usr/lib/\($0)/faketime/libfaketimeMT.so.1" }.first(
                where: FileManager.default.fileExists(atPath:))
        }()

        @Test(
            "a jump of three days is noticed within seconds, refuses no token, ends no session, and recovers by itself",
            .enabled(if: library != nil, "needs the package faketime"))
        func ahead() async throws {
            let folder = try TemporaryFolder()
            let offset = try folder.write("+0", to: "offset")
            let pair = try ProcessDeployment(settings: [
                "LD_PRELOAD": Self.library ?? "", "FAKETIME_TIMESTAMP_FILE": offset, "FAKETIME_NO_CACHE": "1",
                "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            ])
            try await pair.start()
            let browser = Browser()
            let complete = try await browser.signIn(at: pair.client, of: pair, as: "ann@example.com")

            _ = try folder.write("+3d", to: "offset")
            let probe = HTTPProbe(port: pair.idp.port)
            try await eventually("/readyz names the clock") {
                let reply = try await probe.get("/readyz")
                #expect(reply.status == 200, "a jump takes no process out of rotation")
                return reply.text.contains("\"clock\"") ? () : nil
            }
            try await pair.idp.logs(" error clock_jumped ")
            #expect(try await probe.get("/healthz").status == 200)
            // The earlier token, the earlier session, and a complete sign-in of another user.
            let home = try await browser.follow(browser.get(complete.callback()))
            #expect(home.text.contains("ann@example.com"))
            #expect(try await browser.get(pair.origin + "/").page().form(to: "/sign-out") != nil)
            let other = Browser()
            let second = try await other.signIn(at: pair.client, of: pair, as: "ben@example.com")
            #expect(try await other.follow(other.get(second.callback())).text.contains("ben@example.com"))

            _ = try folder.write("+0", to: "offset")
            try await eventually("/readyz no longer names it") {
                try await !probe.get("/readyz").text.contains("clock") ? () : nil
            }
            try await pair.idp.logs(" notice clock_restored ")
            #expect(try await browser.get(pair.origin + "/").page().form(to: "/sign-out") != nil)
            #expect(try await other.get(pair.origin + "/").page().form(to: "/sign-out") != nil)
            try await pair.stop()
        }

        @Test(
            "nodes on PostgreSQL have one time, that of the database, also where a machine is ten minutes ahead or behind",
            .enabled(if: library != nil, "needs the package faketime"), arguments: ["+600", "-600"])
        func nodes(offset: String) async throws {
            let fixture = try await PostgresFixture.make()
            let pair = try ProcessDeployment(idps: 2, settings: ["IDP_DATABASE_URL": fixture.url])
            pair.idps[1].set("LD_PRELOAD", to: Self.library)
            pair.idps[1].set("FAKETIME", to: offset)
            pair.idps[1].set("FAKETIME_DONT_FAKE_MONOTONIC", to: "1")
            try await ProcessDeployment.running(pair) { pair in
                // Everything is made by one node and used by the other.
                for (maker, user) in [(0, 1), (1, 0)] {
                    let browser = Browser(routes: pair.routes(to: maker))
                    _ = try await browser.signIn(at: pair.client, of: pair, as: "ann\(maker)@example.com")
                    let token = try await browser.token(for: pair.client, of: pair, state: "a-state")
                    let reply = try await pair.verify(token, as: pair.client, at: pair.idps[user])
                    #expect(reply.status == 200, "\(reply.text)")
                    let other = browser.twin(routes: pair.routes(to: user))
                    #expect(try await other.get(pair.origin + "/").page().form(to: "/sign-out") != nil)
                }
                try await eventually("the event") { pair.idps[1].log.contains("clock_differs") ? () : nil }
                #expect(!pair.idps[0].log.contains("clock_differs"))
            }
        }
    }
}
