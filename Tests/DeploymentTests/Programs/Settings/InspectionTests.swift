import Foundation
import Glibc
import SQLiteStorage
import SSOWeb
import Storage
import Testing

@testable import IdPSchema
@testable import IdPServer
@testable import IdPTestKit
@testable import RelyingParty
@testable import TestKit
@testable import WebTestKit

/// `check` reports what would end `serve`, and changes nothing.
@Suite("What check examines beyond the settings", .deployment)
struct InspectionTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private func check(_ name: String = "idp", _ changes: [String: String]) async throws -> ProgramProcess {
        let base = name == "idp" ? SettingsFixture.idp : SettingsFixture.client
        let prefix = name == "idp" ? "IDP" : "RP"
        let program = ProgramProcess(
            name, ["check"],
            environment: base.merging([
                "\(prefix)_DATABASE_URL": "sqlite:\(folder.path(of: "x/\(name).sqlite"))",
                "\(prefix)_LISTEN": "127.0.0.1:0",
            ]) { $1 }.merging(changes) { $1 }, folder: try TemporaryFolder())
        let exit = try await program.run()
        let isFine = exit == .code(0)
        #expect(isFine != program.log.contains("error: "), "\(exit) \(program.log)")
        return program
    }

    @Test("a database that does not exist yet is valid, and is not created", arguments: ["idp", "relying-party"])
    func nothingMade(name: String) async throws {
        let program = try await check(name, [:])
        #expect(!program.log.contains("error: "))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test(
        "check and serve warn of a secret that others can read and a clients file that they can write, naming the setting"
    )
    func openFiles() async throws {
        let open = try TemporaryFolder()
        let key = try open.write(TestSecret.new(), to: "key")
        let clients = try open.write(
            "clients:\n  - {id: a, name: A, redirect_uris: [\"https://a.example/cb\"], access: everyone, "
                + "secrets: [\"\(TestSecret.new())\"]}\n", to: "clients.yaml")
        for (path, mode) in [(open.path, 0o755), (key, 0o644), (clients, 0o666)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        let settings = ["IDP_SECRET_KEY": "", "IDP_SECRET_KEY_FILE": key, "IDP_CLIENTS_FILE": clients]
        let words = [
            "IDP_SECRET_KEY_FILE: other users of this machine can use the file \(key)",
            "IDP_CLIENTS_FILE: other users of this machine can write the file \(clients)",
        ]
        let program = try await check("idp", settings)
        for word in words { #expect(program.log.contains(word), "\(program.output)") }
        let port = try FreePort.find()
        let serving = ProgramProcess(
            "idp",
            environment: SettingsFixture.idp.merging(settings) { $1 }.merging([
                "IDP_DATABASE_URL": "sqlite:\(folder.path(of: "served.sqlite"))", "IDP_LISTEN": "127.0.0.1:\(port)",
            ]) { $1 }, port: port, folder: try TemporaryFolder())
        try await serving.start()
        #expect(try await serving.terminate() == .code(0))
        for word in words { #expect(serving.log.contains(word), "\(serving.log)") }
    }

    @Test("a FIFO as a secret file or as a file of users ends the command at once", .timeLimit(.minutes(1)))
    func fifo() async throws {
        let fifo = folder.path(of: "fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        let program = try await check("idp", ["IDP_SECRET_KEY": "", "IDP_SECRET_KEY_FILE": fifo])
        #expect(program.log.contains("IDP_SECRET_KEY_FILE: cannot read the file \(fifo)"), "\(program.log)")
        let users = ProgramProcess(
            "idp", ["user", "import", fifo],
            environment: ["IDP_DATABASE_URL": "sqlite:\(folder.path(of: "users.sqlite"))"],
            folder: try TemporaryFolder())
        #expect(try await users.run() == .code(1))
        #expect(users.log.contains("\(fifo) cannot be read: It is no regular file"), "\(users.log)")
    }

    @Test(
        "a damaged file, a folder, a file of another program, and a missing folder are reported",
        arguments: [
            ("damaged", "not an SQLite database"), ("folder", "not a file"), ("foreign", "tables are not ours"),
            ("nowhere", "cannot be made"), ("empty", "0 bytes"),
        ], ["idp", "relying-party"])
    func badDatabase(bad: (kind: String, words: String), name: String) async throws {
        let (path, kind) = (folder.path(of: "db"), bad.kind)
        switch kind {
        case "damaged": try folder.write(String(repeating: "no database. ", count: 500), to: "db")
        case "folder": _ = try folder.folder("db")
        case "foreign": try await makeForeignDatabase(path)
        case "empty": try folder.write("", to: "db")
        default: try folder.write("", to: "file")
        }
        let file = kind == "nowhere" ? folder.path(of: "file/db") : path
        let before = try? Data(contentsOf: URL(filePath: path))
        let setting = name == "idp" ? "IDP_DATABASE_URL" : "RP_DATABASE_URL"
        let program = try await check(name, [setting: "sqlite:\(file)"])
        #expect(program.log.contains("\(setting): cannot use the database \(file): "))
        #expect(program.log.contains(bad.words))
        #expect((try? Data(contentsOf: URL(filePath: path))) == before)
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    }

    @Test(
        "a database from before 0.1.0 that lacks a step is refused by check and by serve, which no restart helps",
        arguments: ["idp", "relying-party"])
    func older(name: String) async throws {
        let (path, setting) = (folder.path(of: "db"), name == "idp" ? "IDP_DATABASE_URL" : "RP_DATABASE_URL")
        try await FormerSchema(name, without: 1).make { try await SQLiteDatabase(path: path, migrations: $0) }
        let before = try Data(contentsOf: URL(filePath: path))
        let words = "it was written before 0.1.0 and lacks steps"
        let program = try await check(name, [setting: "sqlite:\(path)"])
        #expect(program.log.contains("\(setting): cannot use the database \(path): \(words)"), "\(program.log)")
        let serving = ProgramProcess(
            name,
            environment: (name == "idp" ? SettingsFixture.idp : SettingsFixture.client).merging([
                setting: "sqlite:\(path)"
            ]) { $1 },
            folder: try TemporaryFolder())
        #expect(try await serving.run() == .code(78))
        #expect(serving.log.contains(words), "\(serving.log)")
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test(
        "a database without write permission is reported", .enabled(if: getuid() != 0, "root may write to every file"),
        arguments: ["idp", "relying-party"])
    func readOnly(name: String) async throws {
        let path = folder.path(of: "db")
        try await makeForeignDatabase(path)
        chmod(path, 0o400)
        let setting = name == "idp" ? "IDP_DATABASE_URL" : "RP_DATABASE_URL"
        let program = try await check(name, [setting: "sqlite:\(path)"])
        #expect(program.log.contains("\(setting): cannot use the database \(path): "))
        #expect(program.log.contains("read-only"))
    }

    @Test("serve refuses another program's database with the same message, says it once, and does not change it")
    func foreign() async throws {
        let path = folder.path(of: "db")
        try await makeForeignDatabase(path)
        let before = try Data(contentsOf: URL(filePath: path))
        let program = ProgramProcess(
            "idp",
            environment: SettingsFixture.idp.merging([
                "IDP_DATABASE_URL": "sqlite:\(path)", "IDP_LISTEN": "127.0.0.1:0",
            ]) { $1 },
            folder: folder)
        #expect(try await program.run() == .code(1))
        let lines = program.log.split(separator: "\n").filter {
            $0.contains("its tables are not ours (guestbook). Name another path")
        }
        #expect(lines.count == 1 && lines.first?.contains("startup_failed") == true, "\(program.log)")
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test(
        "an impossible outbox folder is reported, by serve as well",
        arguments: [("check", 1), ("serve", 78)] as [(String, Int32)])
    func outbox(command: String, code: Int32) async throws {
        try folder.write("", to: "file")
        let program = ProgramProcess(
            "idp", [command],
            environment: SettingsFixture.idp.merging([
                "IDP_DATABASE_URL": "sqlite:\(folder.path(of: "idp.sqlite"))", "IDP_LISTEN": "127.0.0.1:0",
                "IDP_MAIL_URL": "outbox:\(folder.path(of: "file/outbox"))",
            ]) { $1 }, folder: folder)
        #expect(try await program.run() == .code(code))
        #expect(program.log.contains("IDP_MAIL_URL: the outbox folder"))
    }

    @Test(
        "all problems are reported at once, inside and outside the settings, item by item",
        arguments: [("check", 1), ("serve", 78)] as [(String, Int32)])
    func together(command: String, code: Int32) async throws {
        try folder.write("", to: "file")
        let program = ProgramProcess(
            "idp", [command],
            environment: SettingsFixture.idp.merging([
                "IDP_DATABASE_URL": "sqlite:/etc/hostname", "IDP_MAIL_URL": "outbox:\(folder.path(of: "file/outbox"))",
                "IDP_LISTEN": "192.0.2.1:1", "IDP_MAIL_FROM": "nobody",
                "IDP_ALLOWED_EMAILS": "first, *@good.example, second", "IDP_TRUSTED_PROXIES": "third 10.0.0.0/8 fourth",
                "SSO_REDIRECT_URIS": "http://a.example/cb,http://b.example/cb", "LOG_FORMAT": "json",
                "IDP_PUBLIC_URL": "https://two.example\nlines",
            ]) { $1 }, folder: folder)
        #expect(try await program.run() == .code(code))
        for word in [
            "IDP_DATABASE_URL: ", "IDP_MAIL_URL: the outbox", "IDP_LISTEN: cannot listen", "IDP_MAIL_FROM: ",
            "first",
            "second", "third", "fourth", "a.example", "b.example", "IDP_PUBLIC_URL: ",
        ] {
            #expect(program.log.contains(word), "\(word) in \(program.log)")
        }
        if command == "check" {
            #expect(program.printed.split(separator: "\n").last?.firstMatch(of: #/^\d+ problems, 1 warning\.$/#) != nil)
        }
        for line in program.log.split(separator: "\n") {
            if command == "serve" {
                #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
            } else {
                #expect(line.hasPrefix("idp: "), "\(line)")
            }
        }
    }

    @Test("a start that fails reports all further problems")
    func startReportsAll() async throws {
        try folder.write("", to: "file")
        let program = ProgramProcess(
            "idp",
            environment: SettingsFixture.idp.merging([
                "IDP_DATABASE_URL": "sqlite:/etc/hostname", "IDP_MAIL_URL": "outbox:\(folder.path(of: "file/outbox"))",
                "IDP_LISTEN": "192.0.2.1:1",
            ]) { $1 }, folder: folder)
        #expect(try await program.run() == .code(78))
        for word in ["IDP_DATABASE_URL: ", "IDP_MAIL_URL: ", "IDP_LISTEN: "] {
            #expect(program.log.contains(word), "\(program.log)")
        }
    }

    @Test("a start that fails also reports a port in use")
    func takenAsWell() async throws {
        let holder = try SocketAddress.socket()
        defer { close(holder) }
        try SocketAddress.bind(holder, to: "127.0.0.1", port: 0)
        let port = try SocketAddress.localPort(of: holder)
        let program = ProgramProcess(
            "idp",
            environment: SettingsFixture.idp.merging([
                "IDP_DATABASE_URL": "sqlite:/etc/hostname", "IDP_LISTEN": "127.0.0.1:\(port)",
            ]) { $1 }, folder: folder)
        #expect(try await program.run() == .code(1))
        #expect(program.log.contains("127.0.0.1:\(port) is already in use"), "\(program.log)")
    }

    @Test("that no client is registered is a warning, but not beside a client that has a problem")
    func noClient() async throws {
        let none = ["SSO_CLIENT_ID": "", "SSO_REDIRECT_URIS": "", "SSO_SHARED_SECRET": ""]
        let words = "No relying party is registered"
        #expect(try await check(none).log.contains(words))
        let file = try folder.write("clients:\n  - {id: wiki, nam: Wiki}\n", to: "clients.yaml")
        let faulty = try await check(none.merging(["IDP_CLIENTS_FILE": file]) { $1 })
        #expect(faulty.log.contains("unknown key") && !faulty.log.contains(words), "\(faulty.log)")
        #expect(try await !check(["SSO_CLIENT_ID": "Wiki"]).log.contains(words))
    }

    @Test("`check` prints each setting on one line, whatever its value")
    func oneLine() async throws {
        let program = try await check(["SSO_CLIENT_NAME": "Part\u{2028}ner\u{1b}[31m", "IDP_PUBLIC_URL": "http://a\nb"])
        #expect(!program.output.contains("\u{1b}") && !program.output.contains("\u{2028}"))
    }

    @Test("an address of another machine is a problem; one in use is a warning, because the program itself may use it")
    func listen() async throws {
        let foreign = try await check(["IDP_LISTEN": "192.0.2.1:8080"])
        #expect(foreign.log.contains("error: IDP_LISTEN: cannot listen at 192.0.2.1:8080"))

        let port = try FreePort.find()
        let program = ProgramProcess(
            "relying-party",
            environment: SettingsFixture.client.merging([
                "RP_LISTEN": "127.0.0.1:\(port)", "RP_DATABASE_URL": "sqlite:\(folder.path(of: "rp.sqlite"))",
            ]) { $1 }, port: port, folder: folder)
        try await program.start()
        let taken = try await check(["IDP_LISTEN": "127.0.0.1:\(port)"])
        #expect(taken.log.contains("warning: IDP_LISTEN: 127.0.0.1:\(port) is already in use"))
    }

    @Test("check finds no problem beside a running service")
    func beside() async throws {
        let port = try FreePort.find()
        let settings = SettingsFixture.idp.merging([
            "IDP_DATABASE_URL": "sqlite:\(folder.path(of: "idp.sqlite"))", "IDP_LISTEN": "127.0.0.1:\(port)",
            "IDP_MAIL_URL": "outbox:\(folder.path(of: "outbox"))",
        ]) { $1 }
        let idp = ProgramProcess("idp", environment: settings, port: port, folder: folder)
        try await idp.start()
        let second = try await check(settings)
        #expect(second.log.contains("warning: IDP_LISTEN"))
        #expect(try await HTTPProbe(port: port).get("/readyz").status == 200)
        #expect(try await idp.terminate() == .code(0))
        _ = try await check(settings)
    }

    private func check(_ changes: [String: String]) async throws -> ProgramProcess { try await check("idp", changes) }

    private func makeForeignDatabase(_ path: String) async throws {
        let child = try ChildProcess(
            "/usr/bin/sqlite3", [path, "CREATE TABLE guestbook (id INTEGER); INSERT INTO guestbook VALUES (1)"],
            environment: Programs.inherited, folder: folder.path, standardOutput: "/dev/null",
            standardError: "/dev/null")
        #expect(try await child.waitForExit() == .code(0))
    }
}
