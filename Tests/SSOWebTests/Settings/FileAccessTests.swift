import Foundation
import SSOShared
import Storage
import Testing

@testable import SSOWeb
@testable import TestKit

@Suite("Files that settings name", .rules)
struct FileAccessTests {
    /// A folder that everybody can enter, as `/etc/swift-sso` may be.
    private static func folder(_ mode: Int = 0o755) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path)
        return folder
    }

    private static func file(_ mode: Int, in folder: TemporaryFolder) throws -> String {
        let path = try folder.write(String(repeating: "0123456789abcdef", count: 4), to: "file")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    private static let secrets: [(Int, String?)] = [
        (0o400, nil), (0o600, nil), (0o640, nil), (0o660, nil), (0o644, "0644"), (0o604, "0604"), (0o602, "0602"),
        (0o601, "0601"), (0o666, "0666"), (0o777, "0777"),
    ]

    @Test(
        "a secret that others have any right to is warned of, with setting, file and mode; one of a group is not",
        arguments: secrets)
    func secret(mode: Int, shown: String?) throws {
        let folder = try Self.folder()
        let path = try Self.file(mode, in: folder)
        let reader = SettingsReader(SettingsSource(["IDP_SECRET_KEY_FILE": path]))
        #expect(reader.derivedKeys("IDP_SECRET_KEY") != nil && reader.problems == [])
        #expect(reader.warnings.count == (shown == nil ? 0 : 1), "\(reader.warnings)")
        for part in shown.map({ ["IDP_SECRET_KEY_FILE: ", path, "mode \($0).", "chmod o= "] }) ?? [] {
            #expect(reader.warnings.first?.contains(part) == true, "\(reader.warnings)")
        }
        #expect(!reader.warnings.joined().contains("0123456789abcdef"))
    }

    @Test("settings that others can write are warned of, and those that they can only read are not")
    func settings() throws {
        let folder = try Self.folder()
        for (mode, isOpen) in [(0o644, false), (0o664, false), (0o646, true), (0o666, true)] {
            let path = try Self.file(mode, in: folder)
            #expect((FileAccess.warning(ofSettings: path, setting: "IDP_CLIENTS_FILE") != nil) == isOpen, "\(mode)")
        }
        let env = try folder.write("IDP_NAME=Main", to: ".env")
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: env)
        let reader = SettingsReader(SettingsSource(arguments: [], environment: [:], file: EnvFile(at: env)))
        #expect(reader.warnings.count == 1 && reader.warnings.first?.hasPrefix(".env: other users") == true)
    }

    @Test(
        "a settings file with a secret in it is one, by whatever name it was given",
        arguments: [
            ("IDP_SECRET_KEY=x", true), ("RP_SECRET_KEY='x'", true), ("WIKI_SECRET=x", true), ("PGPASSWORD=x", true),
            ("IDP_MAIL_URL=smtps://ann:word@mail.example.com", true),
            ("IDP_DATABASE_URL=host=db.example.com password=word dbname=idp", true), ("IDP_SECRET_KEY=", false),
            ("IDP_SECRET_KEY_FILE=/run/key", false), ("IDP_MAIL_URL=smtp://mail.example.com:25", false),
            ("IDP_SUPPORT_URL=mailto:help@example.com", false), ("IDP_NAME=Main", false),
        ])
    func secretInSettings(line: String, isSecret: Bool) throws {
        let folder = try Self.folder()
        let path = try folder.write("LOG_LEVEL=notice\n\(line)\n", to: "my.env")
        for (mode, warns) in [(0o644, isSecret), (0o666, true), (0o600, false)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let warnings = EnvFile(at: path).warnings
            #expect(warnings.count == (warns ? 1 : 0), "\(warnings)")
            guard warns, let warning = warnings.first else { continue }
            #expect(warning.hasPrefix("my.env: other users of this machine can \(isSecret ? "use" : "write") the file"))
            #expect(warning.hasSuffix("chmod \(isSecret ? "o=" : "o-w") \(path)"), "\(warning)")
        }
    }

    @Test(
        "the file of a database is a secret for check, and a name in its table of up to 128 characters widens no other line"
    )
    func check() async throws {
        let folder = try Self.folder()
        let path = try Self.file(0o644, in: folder)
        let reader = SettingsReader(SettingsSource([:]))
        await reader.checkDatabase(.sqlite(path: path), "IDP_DATABASE_URL") { _ in [] }
        #expect(reader.warnings.count == 1 && reader.warnings.first?.contains("chmod o= \(path)") == true)
        reader.record("client \(String(repeating: "a", count: 128))", "enabled")
        reader.record("IDP_NAME", "Main")
        #expect(
            reader.table.hasSuffix("a  enabled\nIDP_NAME\(String(repeating: " ", count: 34))Main\n"), "\(reader.table)")
    }

    @Test("a file in a folder that others cannot enter is not open to them, also where a link leads to it")
    func closedFolder() throws {
        let (closed, open) = (try Self.folder(0o700), try Self.folder())
        let path = try Self.file(0o644, in: closed)
        let link = open.path(of: "link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        for path in [path, link] { #expect(FileAccess.warning(ofSecret: path, setting: "A") == nil) }
        try FileManager.default.setAttributes([.posixPermissions: 0o711], ofItemAtPath: closed.path)
        for path in [path, link] { #expect(FileAccess.warning(ofSecret: path, setting: "A") != nil) }
    }

    @Test("a FIFO, a folder or a device as a file is refused at once", .timeLimit(.minutes(1)))
    func irregular() throws {
        let folder = try Self.folder()
        let fifo = folder.path(of: "fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        for path in [fifo, folder.path, "/dev/zero", folder.path(of: "missing")] {
            var problems: [String] = []
            #expect(SecretFile.read(path, setting: "A_FILE", problem: { problems.append($0) }) == nil)
            #expect(problems.count == 1 && problems[0].contains("regular file"), "\(problems)")
            #expect(throws: SettingError.self) { try LogoFile(path: path) }
        }
    }
}
