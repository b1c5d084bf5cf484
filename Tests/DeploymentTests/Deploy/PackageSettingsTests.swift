import Foundation
import Testing

@testable import TestKit

/// What a package brings beside its program: settings, documents, and what its scripts do with them.
@Suite(
    "Settings and documents of packages", .deployment, .dependsOnMachine,
    .enabled(if: PackageTools.areInstalled, "needs dpkg-deb, gpg, a C compiler and python3-markdown-it"))
struct PackageSettingsTests {

    @Test("every link in README.md of a package resolves there, and example.env has the settings of its program alone")
    func documents() async throws {
        let made = try await PackageScriptTests.made()
        for name in ["swift-sso-idp", "swift-sso-relying-party", "swift-sso-wellknown"] {
            let readme = try await made.file(name, "usr/share/doc/\(name)/README.md")
            let links = readme.matches(of: #/\]\(([^)#]+)/#).map { String($0.1) }
            #expect(links.contains("html/index.html"))
            for link in links {
                let file = made.folder.path(of: "\(name)/usr/share/doc/\(name)/\(link)")
                #expect(FileManager.default.fileExists(atPath: file), "\(name): \(link)")
            }
        }
        let idp = try await made.file("swift-sso-idp", "usr/share/doc/swift-sso-idp/examples/example.env")
        #expect(idp.contains("#IDP_PUBLIC_URL=") && idp.contains("#LOG_LEVEL=") && !idp.contains("#RP_"))
        let other = try await made.file(
            "swift-sso-relying-party", "usr/share/doc/swift-sso-relying-party/examples/example.env")
        #expect(other.contains("#RP_PUBLIC_URL=") && other.contains("#LOG_LEVEL=") && !other.contains("#IDP_"))
    }

    @Test("the first install makes the settings of a template, and says what comes next; later ones keep them silently")
    func settings() async throws {
        let folder = try TemporaryFolder()
        let source = try String(
            contentsOf: PackageScriptTests.root.appending(path: "deploy/package/postinst"), encoding: .utf8)
        let script = try folder.write(
            source.replacing("@PACKAGE@", with: "swift-sso-idp").replacing("@PROGRAM@", with: "idp")
                .replacing("@SECRET@", with: "idp-secret-key").replacing(" -o root -g root", with: "")
                .replacing("/etc/swift-sso", with: folder.path(of: "etc"))
                .replacing(
                    "/usr/share/$package/", with: PackageScriptTests.root.appending(path: "deploy/package/").path()
                )
                .replacing("adduser ", with: "true ").replacing("/run/systemd/system", with: "/nowhere"),
            to: "postinst")

        let first = try await WellKnownRun.command(["/bin/sh", script, "configure", ""])
        #expect(first.code == 0 && first.errors.isEmpty, "\(first.errors)")
        let lines = first.output.split(separator: "\n")
        #expect(lines.count == 3 && lines[1].contains("idp init") && lines[1].contains("idp client add"))
        #expect(lines[2].hasSuffix("/usr/share/doc/swift-sso-idp/html/index.html"))
        let made = folder.text(of: "etc/idp.env")
        let needed = made.split(separator: "\n").filter { $0.hasPrefix("#IDP_") }.map { $0.prefix { $0 != "=" } }
        #expect(
            needed == [
                "#IDP_PUBLIC_URL", "#IDP_MAIL_URL", "#IDP_MAIL_FROM", "#IDP_ALLOWED_EMAILS", "#IDP_TRUSTED_PROXIES",
            ])
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path(of: "etc/idp.env"))[.posixPermissions]
        #expect(mode as? Int == 0o600)
        let key = folder.text(of: "etc/secrets/idp-secret-key")
        #expect(key.count == 64)

        try folder.write("IDP_NAME=Example Ltd\n", to: "etc/idp.env")
        let second = try await WellKnownRun.command(["/bin/sh", script, "configure", "0.1.0"])
        #expect(second.code == 0 && second.output.isEmpty && second.errors.isEmpty, "\(second)")
        #expect(folder.text(of: "etc/idp.env") == "IDP_NAME=Example Ltd\n")
        #expect(folder.text(of: "etc/secrets/idp-secret-key") == key)
    }

    @Test(
        "purging keeps the key as long as there are backups, says so, and deletes database and settings",
        arguments: [true, false])
    func purge(hasBackups: Bool) async throws {
        let folder = try TemporaryFolder()
        let source = try String(
            contentsOf: PackageScriptTests.root.appending(path: "deploy/package/postrm"), encoding: .utf8)
        let script = try folder.write(
            source.replacing("@PACKAGE@", with: "swift-sso-idp").replacing("@SECRET@", with: "idp-secret-key")
                .replacing("@PROGRAM@", with: "idp").replacing("/etc/swift-sso", with: folder.path(of: "etc"))
                .replacing("/var/lib/", with: folder.path(of: "lib") + "/")
                .replacing("/run/systemd/system", with: "/nowhere"), to: "postrm")
        for name in ["etc", "etc/secrets", "lib", "lib/swift-sso-idp", "lib/swift-sso-idp-backups"] {
            _ = try folder.folder(name)
        }
        let files = ["etc/secrets/idp-secret-key", "etc/idp.env", "lib/swift-sso-idp/idp.sqlite"]
        for file in files { try folder.write("x", to: file) }
        if hasBackups { try folder.write("x", to: "lib/swift-sso-idp-backups/idp-1.sqlite") }
        func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: folder.path(of: name)) }

        #expect(try await WellKnownRun.command(["/bin/sh", script, "remove"]).code == 0)
        #expect(files.allSatisfy(exists))
        let run = try await WellKnownRun.command(["/bin/sh", script, "purge"])
        #expect(run.code == 0 && run.errors.isEmpty, "\(run.errors)")
        #expect(exists("etc/secrets/idp-secret-key") == hasBackups)
        #expect(!exists("lib/swift-sso-idp") && !exists("etc/idp.env"))
        #expect(run.output.contains("idp-secret-key, without which no backup can be restored") == hasBackups)
        #expect(exists("lib/swift-sso-idp-backups/idp-1.sqlite") == hasBackups && exists("etc") == hasBackups)
    }
}
