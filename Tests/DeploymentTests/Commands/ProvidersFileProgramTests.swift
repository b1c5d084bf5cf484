import Foundation
import Glibc
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit

/// The program as an operator meets it: SIGHUP, a wrong file at the start, `check --connect`.
@Suite("The providers file of a program", .deployment)
struct ProvidersFileProgramTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path(of: "providers.yaml")
    }

    private func write(_ entries: String...) throws {
        try folder.write("providers:\n" + entries.joined(), to: "providers.yaml")
    }

    private func program(
        _ arguments: [String] = ["serve"], port: UInt16 = 0, in place: TemporaryFolder? = nil
    ) -> ProgramProcess {
        ProgramProcess(
            "idp", arguments,
            environment: SettingsFixture.idp.merging([
                "IDP_PROVIDERS_FILE": path, "SECRET": ProvidersFixture.secret, "KEY": ProvidersFixture.key,
                "IDP_LISTEN": "127.0.0.1:\(port)", "IDP_PUBLIC_URL": "http://localhost:\(port == 0 ? 8080 : port)",
                "SSO_REDIRECT_URIS": "http://localhost:1/cb", "IDP_MAIL_URL": "outbox:\(folder.path(of: "outbox"))",
                "IDP_DATABASE_URL": "sqlite:\(folder.path(of: "idp.sqlite"))",
            ]) { $1 }, port: port, folder: place ?? folder)
    }

    @Test("SIGHUP takes a good file and refuses a broken one whole, and the program continues to run")
    func reload() async throws {
        try write(ProvidersFixture.entry(.oidc))
        let port = try FreePort.find()
        let idp = program(port: port)
        try await idp.start()
        try await idp.logs("provider work")

        try write(ProvidersFixture.entry(.apple), ProvidersFixture.entry(.google))
        idp.send(SIGHUP)
        try await idp.logs("providers_file_loaded")
        #expect(!idp.log.contains("providers_file_rejected"))

        try write(ProvidersFixture.entry(.github), ProvidersFixture.entry(.oidc, ["prompt: none", "colour: red"]))
        idp.send(SIGHUP)
        #expect(try await idp.logs("providers_file_rejected", count: 2).count == 2)
        #expect(try await idp.logs("providers_file_loaded").count == 1)
        #expect(try await HTTPProbe(port: port).get("/healthz").status == 200)
        #expect(try await idp.terminate() == .code(0))
        for secret in [ProvidersFixture.secret, "PRIVATE KEY"] { #expect(!idp.output.contains(secret)) }
    }

    @Test("a wrong file ends a start with 78 and check with 1, both with every fault")
    func wrongAtStart() async throws {
        try write(
            ProvidersFixture.entry(.oidc, ["issuer: http://a.example"]), ProvidersFixture.entry(.google, ["email: no"]))
        for (command, code) in [("serve", 78), ("check", 1)] as [(String, Int32)] {
            let program = program([command])
            #expect(try await program.run() == .code(code), "\(program.output)")
            #expect(program.log.contains("providers.yaml:5: issuer of"), "\(program.log)")
            #expect(program.log.contains("providers.yaml:13: email "), "\(program.log)")
        }
    }

    @Test("check --connect fetches what a sign-in needs from each provider, and reports the one that is down")
    func connect() async throws {
        let clock = ServiceClock.system()
        let work = try await StandInProvider.start(.oidc, clock: clock)
        let apple = try await StandInProvider.start(.apple, clock: clock)
        try write(work.yaml(id: "work"), apple.yaml(id: "apple"))
        let quiet = program(["check"])
        #expect(try await quiet.run() == .code(0), "\(quiet.output)")
        #expect(work.requests.isEmpty && apple.requests.isEmpty)

        let all = program(["check", "--connect"])
        #expect(try await all.run() == .code(0), "\(all.output)")
        for id in ["work", "apple"] {
            #expect(all.printed.contains(try Regex("connect provider \(id) +ready: 1 signing key")), "\(all.printed)")
        }
        #expect(work.requests.map(\.endpoint) == [.discovery, .keys])
        #expect(!all.output.contains(work.clientSecret) && !all.output.contains("PRIVATE KEY"))

        work.stop()
        let one = program(["check", "--connect"])
        #expect(try await one.run() == .code(1), "\(one.output)")
        #expect(one.log.contains("IDP_PROVIDERS_FILE: provider \"work\" cannot be used now: discovery_"), "\(one.log)")
        #expect(one.printed.contains("connect provider apple") && one.printed.hasSuffix("1 problem.\n"))
    }

    /// A release build had one line for all of them, so the programs of a release run this test, too (.ci/run).
    @Test("check --connect has one true line for each provider, in any order, and ends with 1 when one fails")
    func connectInAnyOrder() async throws {
        let clock = ServiceClock.system()
        let moved = try await StandInProvider.start(.oidc, clock: clock)
        moved.replace(.discovery) { _ in .redirect(to: "https://elsewhere.example/", status: "301 Moved Permanently") }
        var entries = ["moved": moved.yaml(id: "moved")]
        var good: [StandInProvider] = []
        for id in ["apple", "home", "work"] {
            good.append(try await StandInProvider.start(id == "apple" ? .apple : .oidc, clock: clock))
            entries[id] = good.last?.yaml(id: id)
        }
        let orders = ["moved work", "work moved", "home work moved apple", "work home apple"].map {
            $0.split(separator: " ").map(String.init)
        }
        for order in orders {
            try write(order.compactMap { entries[$0] }.joined())
            let check = program(["check", "--connect"], in: try TemporaryFolder())
            #expect(try await check.run() == .code(order.contains("moved") ? 1 : 0), "\(order): \(check.output)")
            let lines = check.printed.split(separator: "\n").filter { $0.hasPrefix("connect provider ") }
            #expect(
                lines.map { $0.split(separator: " ").dropFirst(2).first.map(String.init) }
                    == order.filter { $0 != "moved" }, "\(order): \(check.printed)")
            #expect(lines.allSatisfy { $0.contains("ready: 1 signing key") }, "\(check.printed)")
            let problems = check.log.split(separator: "\n").filter { $0.contains("cannot be used now") }
            #expect(problems.count == (order.contains("moved") ? 1 : 0), "\(order): \(check.log)")
            #expect(problems.allSatisfy { $0.contains("provider \"moved\"") }, "\(check.log)")
        }
    }
}
