import Foundation
import Testing

@testable import Counterparts
@testable import IdPClients
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit

/// Properties of the units that need no systemd. `deploy/try-systemd` runs them under a real systemd.
@Suite("The systemd units", .deployment)
struct SystemdUnitTests {
    static let programs = ["swift-sso-idp.service": "idp", "swift-sso-relying-party.service": "relying-party"]

    @Test(
        "a start is over when the program serves, and a reload checks the settings first", arguments: DeployTests.units)
    func notifies(unit: String) throws {
        let program = try #require(Self.programs[unit])
        #expect(try Self.values("Type", in: unit) == ["notify"])
        #expect(try Self.values("ExecStart", in: unit) == ["/usr/local/bin/\(program) serve"])
        #expect(try Self.values("WatchdogSec", in: unit) == ["1min"])
        if program == "idp" {
            #expect(try Self.values("ExecReload", in: unit).first == "+/usr/bin/env -i -C / /usr/local/bin/idp check")
        }
    }

    @Test(
        "wrong usage, a wrong setting and a missing credential are not retried, anything else is",
        arguments: DeployTests.units)
    func restarts(unit: String) throws {
        #expect(try Self.values("Restart", in: unit) == ["on-failure"])
        #expect(try Self.values("RestartPreventExitStatus", in: unit) == ["64 78 243"])
        #expect(try Self.values("StartLimitBurst", in: unit) == ["5"])
    }

    @Test("every credential file that a unit names is one that it loads", arguments: DeployTests.units)
    func credentials(unit: String) throws {
        let loaded = try Self.credentials(of: unit)
        #expect(loaded.count == Set(loaded).count && loaded.count >= 2)
        for line in try Self.values("Environment", in: unit) {
            guard let name = line.firstMatch(of: #/=%d/(.+)$/#)?.1 else { continue }
            #expect(loaded.contains(String(name)), "\(unit): \(line)")
        }
    }

    @Test("the clients file is the default: the identity provider's unit names it and none of the SSO_ settings")
    func clientsFile() throws {
        let settings = try Self.values("Environment", in: "swift-sso-idp.service")
        #expect(settings.contains("IDP_CLIENTS_FILE=/etc/swift-sso/clients.yaml"))
        #expect(!settings.contains { $0.hasPrefix("SSO_") })
    }

    @Test("every credential of the example clients file is one that the unit loads")
    func clientCredentials() throws {
        let text = try DeployTests.lines("clients.example.yaml").filter { !$0.contains("#") }.joined(separator: "\n")
        let named = text.matches(of: #/credential:([A-Za-z0-9_.-]+)/#).map { String($0.1) }
        #expect(named == ["partner"])
        let loaded = try Self.credentials(of: "swift-sso-idp.service")
        #expect(Set(named).isSubset(of: loaded))
    }

    @Test("the example clients file is a valid registry, and holds no secret")
    func exampleClients() throws {
        let text = try DeployTests.lines("clients.example.yaml").joined(separator: "\n")
        let secret = TestSecret.new()
        let read = try ClientsFixture(
            text.replacing("\"credential:partner\"", with: "\"env:PARTNER\""), environment: ["PARTNER": secret],
            in: TemporaryFolder())
        #expect(read.problems == [] && read.warnings == [])
        #expect(read.clients.map(\.id) == ["partner"])
    }

    @Test("the example providers file is valid, has every kind and every default, and holds no secret")
    func exampleProviders() throws {
        let folder = try TemporaryFolder()
        let text = try DeployTests.lines("providers.example.yaml").joined(separator: "\n")
        for name in ["google", "microsoft", "github", "work"] {
            try folder.write(ProvidersFixture.secret, to: name)
        }
        try folder.write(ProvidersFixture.key, to: "apple.p8")
        let read = try ProvidersFixture(text, environment: ["CREDENTIALS_DIRECTORY": folder.path], in: folder)
        #expect(read.problems == [])
        #expect(Set(read.providers.map(\.kind)) == Set(Provider.Kind.allCases))
        let work = try #require(read.providers.first { $0.kind == .oidc })
        #expect(
            work.scopes == Provider.Kind.oidc.defaultScopes && work.algorithms == Provider.Kind.oidc.defaultAlgorithms)
        #expect(work.responseMode == .query && work.emailTrust == .ifVerified)
        #expect(work.allowsNewAccounts && !work.allowsPrivateAddresses)
    }

    @Test("the drop-in for SSO_ settings removes the clients file and passes the same secret")
    func environmentForm() throws {
        let dropIn = "environment-client.conf"
        let lines = try DeployTests.lines(dropIn)
        #expect(lines.contains("[Service]"))
        #expect(try Self.values("UnsetEnvironment", in: dropIn) == ["IDP_CLIENTS_FILE"])
        #expect(try Self.values("Environment", in: dropIn) == ["SSO_SHARED_SECRET_FILE=%d/partner"])
        let loaded = try Self.credentials(of: "swift-sso-idp.service")
        #expect(loaded.contains("partner"))
    }

    @Test("the filter of system calls stays closed, and libdispatch's messages about it stay out of the journal")
    func quietThreads() throws {
        for unit in DeployTests.units {
            let filter = try Self.values("SystemCallFilter", in: unit)
            #expect(filter == ["@system-service", "~@privileged @resources"], "\(unit)")
            let environment = try Self.values("Environment", in: unit)
            #expect(environment.contains("LIBDISPATCH_LOG=NO"), "\(unit)")
        }
    }

    @Test("no unit names a database, so that the settings file can", arguments: DeployTests.units + ["backup.service"])
    func database(unit: String) throws {
        #expect(try Self.values("Environment", in: unit).allSatisfy { !$0.contains("DATABASE_URL") })
        #expect(try Self.values("StateDirectory", in: unit).first?.hasPrefix("swift-sso-") == true)
    }

    @Test("a unit calls no program that a minimal system lacks", arguments: DeployTests.units)
    func commands(unit: String) throws {
        let known = Self.programs.values.map { "/usr/local/bin/\($0)" } + ["/bin/sh", "/usr/bin/env"]
        for key in ["ExecStartPre", "ExecStart", "ExecReload"] {
            for command in try Self.values(key, in: unit) {
                let program = command.drop { $0 == "-" || $0 == "+" }.prefix { $0 != " " }
                #expect(known.contains(String(program)), "\(unit): \(command)")
            }
        }
    }

    /// The values of one key of a unit, in order.
    static func values(_ key: String, in file: String) throws -> [String] {
        try DeployTests.lines(file).filter { $0.hasPrefix(key + "=") }.map { String($0.dropFirst(key.count + 1)) }
    }

    private static func credentials(of unit: String) throws -> [String] {
        try values("LoadCredential", in: unit).compactMap { $0.split(separator: ":").first.map(String.init) }
    }
}
