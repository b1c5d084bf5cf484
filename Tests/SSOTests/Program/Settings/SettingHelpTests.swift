import ArgumentParser
import SSOWeb
import Testing

@testable import IdP
@testable import IdPServer
@testable import IdPTestKit
@testable import RelyingParty
@testable import SSOWeb
@testable import TestKit

/// The tables of settings are the only source of names, of `--help` and of the documents.
@Suite("The explanation of settings", .program)
struct SettingHelpTests {
    typealias Program = SettingsFixture.Program

    private static func table(_ program: Program) -> [SettingDescription] {
        program == .idp ? IdPSettings.table : RelyingPartySettings.table
    }

    @Test("every setting has an explanation, a default and an example, and appears once", arguments: Program.allCases)
    func complete(program: Program) {
        let all = Self.table(program) + CommonSettings.all
        #expect(Set(all.map(\.name)).count == all.count)
        for setting in all {
            #expect(
                setting.explanation.hasSuffix(".") || setting.explanation.contains(": idp check"), "\(setting.name)")
            #expect(!setting.fallback.isEmpty && !setting.example.isEmpty, "\(setting.name)")
            // An example that is the default teaches nothing.
            #expect(setting.example != setting.fallback, "\(setting.name)")
        }
    }

    @Test("the program reads no other setting, and the defaults are those in force", arguments: Program.allCases)
    func defaults(program: Program) {
        let reader = SettingsFixture.read(program)
        _ = ProgramLog.logger(program: "test", settings: reader)
        _ = ShutdownGrace.read(reader)
        let all = Self.table(program) + CommonSettings.all
        let shown = Dictionary(reader.lines.map { ($0.name, $0.shown) }) { $1 }
        #expect(shown.keys.allSatisfy { name in name.hasPrefix("client ") || all.contains { $0.name == name } })
        let given = SettingsFixture.idp.merging(SettingsFixture.client) { $1 }
        let inWords = [
            "required", "none", "the id", "system roots", "RP_IDP_URL", "true on loopback, else false",
            "this machine's name", "the host of IDP_PUBLIC_URL",
        ]
        var compared = 0
        for setting in all where given[setting.name] == nil && !inWords.contains(setting.fallback) {
            #expect(shown[setting.name] == setting.fallback, "\(setting.name)")
            compared += 1
        }
        #expect(compared >= 8)
        // What has no default has no value either, or an empty one.
        for setting in all where given[setting.name] == nil && setting.fallback == "none" {
            #expect(shown[setting.name] ?? "" == "", "\(setting.name)")
        }
    }

    @Test("the examples are valid", arguments: Program.allCases)
    func examples(program: Program) {
        let files = [
            "IDP_CLIENTS_FILE", "IDP_PROVIDERS_FILE", "IDP_AASA_FILE", "IDP_ASSETLINKS_FILE", "IDP_ANDROID_APPS",
            "IDP_LOGO_FILE", "RP_CA_FILE",
        ]
        for setting in Self.table(program) where !setting.isSecret && !files.contains(setting.name) {
            // A public address that others reach cannot go with the fixture's outbox, nor a token.
            let servers = [
                "IDP_PUBLIC_URL": "smtps://mail.example.com:465",
                "IDP_MAIL_TOKEN_FILE": "smtps://ann@mail.example.com:465",
            ]
            let mail = servers[setting.name].map { ["IDP_MAIL_URL": $0] } ?? [:]
            let reader = SettingsFixture.read(program, mail.merging([setting.name: setting.example]) { $1 })
            #expect(reader.problems.filter { $0.hasPrefix(setting.name) } == [], "\(setting.name)")
        }
    }

    @Test("--help has every setting with default, explanation and example, in lines of at most 80 columns")
    func text() {
        for program in Program.allCases {
            let help = SettingDescription.help(Self.table(program), of: "idp")
            let words = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            for setting in Self.table(program) + CommonSettings.all {
                #expect(words.contains("\(setting.name) ("), "\(setting.name)")
                #expect(words.contains(setting.explanation), "\(setting.name)")
                #expect(words.contains("Example: \(setting.example)"), "\(setting.name)")
            }
            #expect(words.contains("docs/settings.md"))
            #expect(["--env-file", " .env ", "/etc/swift-sso/idp.env"].allSatisfy(words.contains))
            #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 })
        }
    }

    @Test("the example of an option in --help of serve and check is an option of the program")
    func exampleOption() {
        #expect(IdPProgram.exampleOption == "--idp-listen 127.0.0.1:9090")
        #expect(RelyingPartyProgram.exampleOption == "--rp-listen 127.0.0.1:9091")
    }

    @Test("--help of serve and check names the exit codes of both programs")
    func exitCodes() {
        let pairs = [
            (IdPCommand.Serve.configuration, RelyingPartyServer.Serve.configuration),
            (IdPCommand.Check.configuration, RelyingPartyServer.Check.configuration),
        ]
        for (idp, client) in pairs {
            let codes = [idp, client].map {
                $0.discussion.split(separator: "\n").last { $0.hasPrefix("Exit codes: 0 ") }
            }
            #expect(codes[0] != nil && codes[0] == codes[1])
        }
    }

    @Test(
        "an http address with another port than the one of this machine that the program listens at is a warning without a proxy",
        arguments: Program.allCases)
    func port(program: Program) {
        let prefix = program == .idp ? "IDP" : "RP"
        let port = program == .idp ? 8080 : 8081
        func warnings(_ settings: [String: String]) -> [String] {
            SettingsFixture.read(
                program,
                Dictionary(uniqueKeysWithValues: settings.map { ("\(prefix)_\($0.key)", $0.value) })
            ).warnings.filter { $0.contains("has another port than") }
        }
        #expect(
            warnings(["PUBLIC_URL": "http://localhost:18123"]) == [
                "\(prefix)_PUBLIC_URL: http://localhost:18123 has another port than \(prefix)_LISTEN, 127.0.0.1:\(port). Use \(prefix)_LISTEN=127.0.0.1:18123, unless a proxy of this machine listens there."
            ])
        #expect(warnings(["PUBLIC_URL": "http://localhost"]).first?.contains("LISTEN=127.0.0.1:80,") == true)
        let fine = [
            [:], ["PUBLIC_URL": "http://localhost:18123", "LISTEN": "127.0.0.1:18123"],
            ["PUBLIC_URL": "http://localhost:18123", "LISTEN": "0.0.0.0:\(port)"],
            ["PUBLIC_URL": "http://localhost:18123", "LISTEN": "127.0.0.1:0"],
            ["PUBLIC_URL": "https://localhost:18123"],
        ]
        for settings in fine { #expect(warnings(settings) == [], "\(settings)") }
        if program == .idp {
            #expect(warnings(["PUBLIC_URL": "http://localhost:18123", "TRUSTED_PROXIES": "127.0.0.1"]) == [])
        }
    }

    @Test("a client is shown with what it has: no fingerprints and addresses that are not there")
    func shownClients() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            """
            clients:
              - {id: wiki, name: W, protocols: [gate], access: everyone, gate_origin: "https://wiki.example.com"}
              - {id: app, name: A, protocols: [oidc], public: true, access: everyone, redirect_uris: ["com.example.app:/cb"]}

            """, to: "clients.yaml")
        let reader = SettingsFixture.read(.idp, ["IDP_CLIENTS_FILE": path, "IDP_TRUSTED_PROXIES": "127.0.0.1"])
        #expect(reader.problems == [])
        let shown = reader.lines.filter { $0.name.hasPrefix("client ") }.map { "\($0.name): \($0.shown)" }
        #expect(
            shown.filter { !$0.contains("partner") } == [
                "client wiki: W, gate at https://wiki.example.com", "client app: A, com.example.app:/cb",
            ])
        let partner = "https://partner.example/auth/sso/callback"
        #expect(shown.contains { $0.contains(", fingerprints ") && $0.hasSuffix(", \(partner)") }, "\(shown)")
    }

    @Test("the example of database copy is the file of the program")
    func copyExample() {
        for (file, other) in [("sqlite:var/idp.sqlite", "rp.sqlite"), ("sqlite:var/rp.sqlite", "idp.sqlite")] {
            let words = DatabaseCopyOptions.discussion(file: file)
            #expect(words.contains("database copy --from \(file) --to ") && !words.contains(other))
        }
    }

    @Test(
        "the last line of check counts; all is fine only without a warning",
        arguments: [
            (0, 0, "All settings are fine."), (0, 1, "No problems. 1 warning."), (0, 2, "No problems. 2 warnings."),
            (1, 0, "1 problem."), (3, 1, "3 problems, 1 warning."), (1, 2, "1 problem, 2 warnings."),
        ])
    func summary(problems: Int, warnings: Int, text: String) {
        let reader = SettingsReader(SettingsSource([:]))
        for _ in 0..<problems { reader.problem("X: is wrong.") }
        // The same one twice is one.
        for number in 0..<warnings { for _ in 0...1 { reader.warn("Y\(number): is odd.") } }
        #expect(reader.summary == text)
    }

    @Test("an empty IDP_ALLOWED_EMAILS is a warning, because only users who are invited or imported can sign in")
    func onlyAdded() {
        for value in ["", " , "] {
            let reader = SettingsFixture.read(.idp, ["IDP_ALLOWED_EMAILS": value])
            #expect(reader.problems.isEmpty)
            #expect(
                reader.warnings.contains {
                    $0.hasPrefix("IDP_ALLOWED_EMAILS: ") && $0.contains("only users whom you invite or import can")
                }, "\(reader.warnings)")
        }
        #expect(SettingsFixture.read(.idp).warnings.isEmpty)
    }
}
