import Foundation
import SSOShared
import SSOWeb
import Testing

@testable import IdPTestKit
@testable import TestKit

/// Any secret `X` may come as `X_FILE`.
@Suite("Secrets from files", .program)
struct SecretFileTests {
    typealias Program = SettingsFixture.Program

    static let names: [(Program, String)] = [
        (.idp, "IDP_SECRET_KEY"), (.idp, "SSO_SHARED_SECRET"), (.idp, "IDP_MAIL_URL"),
        (.client, "RP_SECRET_KEY"), (.client, "SSO_SHARED_SECRET"),
    ]

    private func good(_ name: String) -> String {
        name == "IDP_MAIL_URL" ? "outbox:var/outbox" : TestSecret.new()
    }

    @Test("files that settings name, which others can write: a warning for each, with the setting and the file")
    func writers() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        func file(_ name: String, _ content: String, _ mode: Int = 0o666) throws -> String {
            let path = try folder.write(content, to: name)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            return path
        }
        let logo = try file("logo.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 8 8\"/>")
        let apple = try file("aasa", "{\"applinks\":{\"details\":[]}}")
        try FileManager.default.createDirectory(
            atPath: folder.path(of: "languages/fr"), withIntermediateDirectories: true)
        let texts = try file("languages/fr/language.json", "{\"name\":\"Français\"}")
        let clients = try file(
            "clients.yaml",
            """
            clients:
              - {id: wiki, name: Wiki, redirect_uris: ["https://wiki.example/cb"], secrets: ["\(TestSecret.new())"], logo: logo.svg}
            """, 0o644)
        let idp = SettingsFixture.read(
            .idp,
            [
                "IDP_LOGO_FILE": logo, "IDP_AASA_FILE": apple, "IDP_LANGUAGES_DIR": folder.path(of: "languages"),
                "IDP_CLIENTS_FILE": clients,
            ])
        let authority = try file("ca.pem", "-----BEGIN CERTIFICATE-----\n")
        let client = SettingsFixture.read(.client, ["RP_CA_FILE": authority])
        let rows = [
            ("IDP_LOGO_FILE: ", logo), ("IDP_AASA_FILE: ", apple), ("IDP_LANGUAGES_DIR: fr: ", texts),
            ("IDP_CLIENTS_FILE: ", logo), ("RP_CA_FILE: ", authority),
        ]
        let warnings = (idp.warnings + client.warnings).filter { $0.contains("can write") }
        #expect(warnings.count == rows.count, "\(warnings)")
        for (start, path) in rows {
            let words = "\(start)other users of this machine can write the file \(path), which has the mode 0666."
            #expect(warnings.contains { $0.hasPrefix(words) }, "\(words) \(warnings)")
        }
    }

    @Test(
        "the file's text counts as the value would; one line end is not part of it; other white space is a warning",
        arguments: names)
    func read(program: Program, name: String) throws {
        let folder = try TemporaryFolder()
        let value = good(name)
        let plain = try folder.write(value, to: "plain")
        let reader = SettingsFixture.read(program, [name: "", name + "_FILE": plain])
        #expect(reader.problems.isEmpty && reader.warnings.isEmpty)

        // Every editor and `openssl rand -hex 32` end the last line: that is worth no warning.
        for (end, isWarnedOf) in [("\n", false), ("\r\n", false), ("\n\n", true), (" \n", true), ("\r", true)] {
            let file = try folder.write(value + end, to: "line")
            let second = SettingsFixture.read(program, [name: "", name + "_FILE": file])
            #expect(second.problems.isEmpty)
            guard name.contains("SECRET") else { continue }
            #expect(second.warnings.count == (isWarnedOf ? 1 : 0), "\(Array(end.utf8)) \(second.warnings)")
            #expect(second.warnings.allSatisfy { $0.contains(name) })
            let fingerprint = try SharedSecret.parse(value, setting: name).fingerprint
            for reader in [reader, second] {
                #expect(reader.lines.contains { $0.name == name && $0.shown.contains(fingerprint) })
            }
        }
    }

    @Test("a byte order mark at the start of the file is no part of the value", arguments: names)
    func byteOrderMark(program: Program, name: String) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("\u{feff}\(good(name))\r\n", to: "marked")
        let reader = SettingsFixture.read(program, [name: "", name + "_FILE": file])
        #expect(reader.problems.isEmpty && reader.warnings.isEmpty, "\(reader.problems) \(reader.warnings)")
    }

    @Test("set twice, or a file that cannot be used: one problem that names the setting", arguments: names)
    func errors(program: Program, name: String) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(good(name), to: "secret")
        let empty = try folder.write("", to: "empty")
        let giant = try folder.write(String(repeating: "0123456789abcdef", count: 5000), to: "giant")
        let both = SettingsFixture.read(program, [name + "_FILE": file])
        #expect(both.problems.count == 1)
        #expect(both.problems.first?.hasPrefix("\(name): is set twice") == true)
        let blank = try folder.write(" \n", to: "blank")
        for path in [folder.path(of: "missing"), empty, blank, giant, folder.path, "/dev/null"] {
            let reader = SettingsFixture.read(program, [name: "", name + "_FILE": path])
            #expect(reader.problems.count == 1, "\(reader.problems)")
            #expect(reader.problems.first?.hasPrefix(name + "_FILE: ") == true, "\(reader.problems)")
            #expect(reader.problems.first?.contains(path) == true)
            if [empty, blank].contains(path) {
                #expect(reader.problems.first?.contains("is empty") == true, "\(reader.problems)")
            }
        }
    }

    @Test("several keys in one setting: the first seals, each is shown, an invalid one is named by its position")
    func keyRing() throws {
        let (one, two) = (TestSecret.new(), TestSecret.new())
        let reader = SettingsFixture.read(.idp, ["IDP_SECRET_KEY": "\(one),\(two)"])
        #expect(reader.problems.isEmpty)
        let prints = try [one, two].map { try SharedSecret.parse($0, setting: "").fingerprint }
        #expect(
            reader.lines.contains { $0.name == "IDP_SECRET_KEY" && $0.shown.contains(prints.joined(separator: ", ")) })
        let bad = SettingsFixture.read(.idp, ["IDP_SECRET_KEY": "\(one),"])
        #expect(bad.problems.first?.hasPrefix("IDP_SECRET_KEY (key 2 of 2)") == true)
    }
}
