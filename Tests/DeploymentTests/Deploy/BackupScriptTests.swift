import Foundation
import Testing

@testable import TestKit

/// deploy/backup with a stub in place of idp, and the units that run it.
@Suite("deploy/backup", .deployment)
struct BackupScriptTests {
    /// A folder of backups, and an `idp` on the PATH that writes them.
    struct Machine {
        let folder: TemporaryFolder

        /// - Parameters:
        ///   - damaged: the check finds an error.
        ///   - refusal: what `idp backup` says before it ends with 1.
        init(damaged: Bool = false, refusal: String? = nil) throws {
            folder = try TemporaryFolder()
            for name in ["bin", "backups"] { _ = try folder.folder(name) }
            let stub = """
                #!/bin/sh
                echo "$*" >>\(folder.path(of: "calls"))
                case "$1 $2" in
                    "backup --verify") exit \(damaged ? 1 : 0) ;;
                    backup*) \(refusal.map { "echo \"\($0)\" >&2; exit 1" } ?? "echo new >\"$2\"") ;;
                esac
                """
            let path = try folder.write(stub, to: "bin/idp")
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }

        var backups: [String] {
            get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path(of: "backups")).sorted() }
        }
        var calls: [String] { folder.text(of: "calls").split(separator: "\n").map(String.init) }

        func run(_ arguments: [String]? = nil) async throws -> WellKnownRun {
            try await WellKnownRun.command(
                [DeployTests.folder.appending(path: "backup").path()] + (arguments ?? [folder.path(of: "backups")]),
                environment: ["PATH": "\(folder.path(of: "bin")):/usr/bin:/bin"])
        }
    }

    private static let old = (1...16).map { "idp-202601\($0 < 10 ? "0" : "")\($0)T000000Z.sqlite" }

    @Test("it makes a backup and checks it, and then the newest 14 stay, or as many as are asked for")
    func keeps() async throws {
        let machine = try Machine()
        for name in Self.old + ["other.sqlite", "idp-notes.txt"] { try machine.folder.write("", to: "backups/\(name)") }
        #expect(try await machine.run().code == 0)
        var backups = try machine.backups.filter { $0.hasPrefix("idp-2") }
        let new = try #require(backups.last)
        #expect(backups.count == 14 && backups.dropLast() == Self.old.suffix(13)[...] && !Self.old.contains(new))
        let path = machine.folder.path(of: "backups/\(new)")
        #expect(machine.calls == ["backup \(path)", "backup --verify \(path)"])
        #expect(machine.folder.text(of: "backups/\(new)") == "new\n")

        try FileManager.default.removeItem(atPath: path)
        #expect(try await machine.run([machine.folder.path(of: "backups"), "3"]).code == 0)
        backups = try machine.backups
        #expect(backups.filter { $0.hasPrefix("idp-2") }.count == 3)
        #expect(backups.contains("other.sqlite") && backups.contains("idp-notes.txt"))
    }

    @Test("a backup that fails the check is set aside, no older one is deleted, and the run fails")
    func damaged() async throws {
        let machine = try Machine(damaged: true)
        for name in Self.old { try machine.folder.write("", to: "backups/\(name)") }
        #expect(try await machine.run().code == 1)
        let backups = try machine.backups
        #expect(backups.filter { $0.hasSuffix(".sqlite") } == Self.old)
        #expect(backups.filter { $0.hasSuffix(".sqlite.damaged") }.count == 1)
    }

    @Test(
        "without a file to back up it ends with 3, for which the unit stops the timer; any other failure is tried again",
        arguments: [
            ("idp: postgres://idp@one/idp is not a file. … pg_dump --format=custom …", 3),
            ("idp: the database has moved to postgres://idp@one/idp. … idp database unmark", 3),
            ("idp: the disk is full.", 1),
        ] as [(String, Int32)])
    func ends(words: String, code: Int32) async throws {
        let run = try await Machine(refusal: words).run()
        #expect(run.code == code && run.errors.contains(words))
        let stop = try SystemdUnitTests.values("ExecStopPost", in: "backup.service")
        #expect(stop.count == 1 && stop[0].contains("= 3 ]; then systemctl disable --now swift-sso-idp-backup.timer"))
    }

    @Test(
        "wrong usage changes nothing", arguments: [[], ["/x", "0"], ["/x", "many"], ["/x", "-1"], ["/x", "1", "2"]])
    func usage(arguments: [String]) async throws {
        let machine = try Machine()
        let run = try await machine.run(arguments)
        #expect(run.code == 64 && run.errors.hasPrefix("Usage: backup FOLDER [COUNT]") && machine.calls.isEmpty)
    }

    @Test("the unit runs it once as the user of the service with its database and key, each day, and has no network")
    func units() throws {
        let unit = "backup.service"
        #expect(
            try SystemdUnitTests.values("ExecStart", in: unit) == [
                "/usr/local/lib/swift-sso-idp/backup %S/swift-sso-idp-backups 14"
            ])
        for name in ["Type", "User", "PrivateNetwork", "UMask"] {
            let expected = ["Type": "oneshot", "User": "swift-sso-idp", "PrivateNetwork": "yes", "UMask": "0077"]
            #expect(try SystemdUnitTests.values(name, in: unit) == [expected[name] ?? ""])
        }
        let service = try SystemdUnitTests.values("Environment", in: "swift-sso-idp.service")
        for line in try SystemdUnitTests.values("Environment", in: unit) { #expect(service.contains(line), "\(line)") }
        #expect(try SystemdUnitTests.values("OnCalendar", in: "backup.timer") == ["daily"])
        #expect(try SystemdUnitTests.values("Persistent", in: "backup.timer") == ["true"])
    }
}
