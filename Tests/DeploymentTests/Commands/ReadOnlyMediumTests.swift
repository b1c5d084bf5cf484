import Foundation
import Testing

@testable import IdPTestKit
@testable import TestKit

@Suite(
    "Commands at a database on a read-only medium", .deployment,
    .enabled(if: SmallDisk.canMount, "mounting needs root"))
struct ReadOnlyMediumTests {
    /// Every command that only reads, and what it prints.
    private static let readers: [([String], words: String)] = [
        (["user", "list"], "ann@example.com"), (["user", "show", "ann@example.com"], "ann@example.com"),
        (["user", "sessions", "ann@example.com"], "SESSION"), (["client", "list"], "partner"),
        (["client", "show", "partner"], "partner"), (["group", "list"], "staff"),
        (["group", "show", "staff"], "staff"),
        (["keys", "list"], "There is no key yet."), (["sign-outs", "list"], "MESSAGE"), (["audit"], "signed_in"),
    ]

    @Test(
        "those that only read work, and a backup and exports; those that change something say why not",
        arguments: ["beside the service", "after its end"])
    func commands(when: String) async throws {
        let pair = try ProcessDeployment()
        try await pair.start()
        _ = try await Browser().signIn(at: pair.client, of: pair, as: "ann@example.com")
        try await pair.idp(["group", "add", "staff"])
        let key = ["IDP_SECRET_KEY": pair.idp.settings["IDP_SECRET_KEY"] ?? ""]
        try await pair.idp(
            [
                "client", "add", "partner", "--name", "Partner", "--everyone", "--redirect-uri",
                "https://partner.example/cb",
            ],
            settings: key)
        let isRunning = when == "beside the service"
        if !isRunning { try await pair.stop() }
        let view = try ReadOnlyView(of: pair.folder.path)
        defer { withExtendedLifetime(view) {} }
        let path = view.path + "/idp.sqlite"
        let settings = ["IDP_DATABASE_URL": "sqlite:\(path)"]
        for (command, words) in Self.readers {
            let printed = try await pair.idp(command, settings: settings).printed
            #expect(printed.contains(words), "\(command): \(printed)")
        }
        let status = try await pair.idp(["database", "status"], settings: settings, endsWith: 1)
        #expect(status.log.contains("files have no nodes"), "\(status.log)")

        let folder = try TemporaryFolder()
        let backup = folder.path(of: "backup.sqlite")
        let made = try await pair.idp(["backup", backup], settings: settings.merging(key) { $1 })
        #expect(made.printed.hasPrefix("Backed up \(path) into \(backup)"))
        #expect(
            made.log.contains("the audit log has no row for this backup: cannot use the database \(path): "),
            "\(made.log)")
        #expect(try await pair.idp(["backup", "--verify", backup], settings: key).printed.contains("can be restored"))
        let copied = try await pair.idp(["user", "list"], settings: ["IDP_DATABASE_URL": "sqlite:\(backup)"])
        #expect(copied.printed.contains("ann@example.com"))
        #expect(try await pair.idp(["backup", "--verify", backup], settings: key).printed.contains("can be restored"))

        let files = ["rows.csv", "ann.json"].map(folder.path)
        for (command, file) in zip([["audit", "export"], ["user", "export", "ann@example.com"]], files) {
            let exported = try await pair.idp(command + [file], settings: settings)
            #expect(exported.printed.hasPrefix("Exported "))
            #expect(
                exported.log.contains("the audit log has no row for this export: cannot use the database \(path): "),
                "\(exported.log)")
            #expect(try String(contentsOfFile: file, encoding: .utf8).contains("signed_in"))
        }

        for command in [["user", "disable", "ann@example.com"], ["group", "add", "more"]] {
            let refused = try await pair.idp(command, settings: settings, endsWith: 1)
            #expect(
                refused.log.contains("cannot use the database \(path): its file system is mounted read-only."),
                "\(refused.log)")
        }
        if isRunning { try await pair.stop() }
    }
}
