import Dispatch
import Foundation
import ProbeKit
import SQLiteStorage
import SSOWeb
import Storage
import Testing

@testable import IdPSchema
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("Backup and restore", .deployment)
struct BackupTests {
    private static func mode(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private static func ids(_ pair: ProcessDeployment) async throws -> [String: String] {
        let list = try await pair.idp(["user", "list", "--json"]).printed
        let all = try JSONSerialization.jsonObject(with: Data(list.utf8)) as? [[String: Any]] ?? []
        return Dictionary(uniqueKeysWithValues: all.map { ($0["address"] as? String ?? "", $0["id"] as? String ?? "") })
    }

    private static func signIn(_ name: String, _ pair: ProcessDeployment) async throws -> Browser {
        let browser = Browser()
        _ = try await browser.signIn(at: pair.client, of: pair, as: "\(name)@example.com")
        return browser
    }

    @Test("a restore brings back what was backed up while the IdP ran, drops what came later, and signs everyone out")
    func wholeWay() async throws {
        let pair = try ProcessDeployment()
        let backup = pair.folder.path(of: "backup.sqlite")
        try await pair.start()
        let ann = try await Self.signIn("ann", pair)
        let token = try await ann.token(for: pair.client, of: pair)
        #expect(try await pair.idp(["backup", backup]).printed.contains(backup))
        #expect(try Self.mode(of: backup) == 0o600)
        #expect(!FileManager.default.fileExists(atPath: backup + "-wal"))
        let whole = try Data(contentsOf: URL(filePath: backup))
        _ = try await Self.signIn("bob", pair)
        let before = try await Self.ids(pair)
        #expect(before.count == 2)

        let refused = try await pair.idp(["restore", backup], endsWith: 1)
        #expect(refused.log.contains("process \(pair.idp.pid ?? 0) uses the database"), "\(refused.log)")
        #expect(try await ann.isSignedIn(at: pair))
        try await pair.stop()

        let restored = try await pair.idp(["restore", backup])
        for words in ["Warning: accounts made after the backup are gone", "new id", ".before-restore-"] {
            #expect(restored.printed.contains(words), "\(restored.printed)")
        }
        #expect(try Self.mode(of: pair.databasePath) == 0o600)
        #expect(try Data(contentsOf: URL(filePath: backup)) == whole, "the backup itself is unchanged")
        let kept = try FileManager.default.contentsOfDirectory(atPath: pair.folder.path).filter {
            $0.hasPrefix("idp.sqlite.before-restore-")
        }
        #expect(kept.count == 1)
        let old = ["IDP_DATABASE_URL": "sqlite:\(pair.folder.path(of: kept.first ?? ""))"]
        #expect(try await pair.idp(["user", "list"], settings: old).printed.contains("bob@example.com"))

        try await pair.start()
        #expect(try await Self.ids(pair) == before.filter { $0.key.hasPrefix("ann@") })
        #expect(try await !ann.isSignedIn(at: pair))
        #expect(try await pair.verify(token, as: pair.client).status == 401)
        try await pair.stop()
    }

    @Test("sessions, codes, tokens and waiting emails are not restored, and used tokens stay used")
    func ended() async throws {
        let pair = try ProcessDeployment()
        let backup = pair.folder.path(of: "backup.sqlite")
        try await ProcessDeployment.running(pair) { pair in
            let ann = try await Self.signIn("ann", pair)
            let token = try await ann.token(for: pair.client, of: pair, state: "used")
            #expect(try await pair.verify(token, as: pair.client).status == 200)
            _ = try await ann.token(for: pair.client, of: pair, state: "unused")
            let waiting = Browser()
            _ = try await waiting.ask(for: "bob@example.com", on: waiting.get(pair.origin + "/sign-in"))
            try await pair.idp(["backup", backup])
        }
        try await pair.idp(["restore", backup])
        for table in ["session", "challenge", "mail_queue"] {
            #expect(try await pair.stored { try await $0.count(of: table) } == 0, "\(table)")
        }
        #expect(try await pair.stored { try await $0.grants.open.count() } == 0)
        #expect(try await pair.stored { try await $0.grants.used.count() } == 1)
    }

    @Test("while a restore works no other process begins to use the database, and a log that a kill left is not lost")
    func locked() async throws {
        let pair = try ProcessDeployment()
        let backup = pair.folder.path(of: "backup.sqlite")
        try await pair.start()
        try await pair.idp(["backup", backup])
        try await pair.idp(["group", "add", "late"])
        try await pair.idp.kill()
        #expect(FileManager.default.fileExists(atPath: pair.databasePath + "-wal"), "the killed program left its log")
        _ = try await SQLiteDatabase.restore(
            path: pair.databasePath, migrations: IdPMigrations.all, from: backup, keys: nil, acceptsUnverified: true,
            keepingOldAs: "old"
        ) { _, _ in
            let refused = try await pair.idp(["group", "add", "meanwhile"], endsWith: 1)
            #expect(refused.log.contains("another process holds its lock"), "\(refused.log)")
        }
        let old = "\(pair.databasePath).old"
        #expect(!FileManager.default.fileExists(atPath: old + "-wal"), "the file alone is whole")
        let groups = try await pair.idp(["group", "list"], settings: ["IDP_DATABASE_URL": "sqlite:\(old)"]).printed
        #expect(groups.contains("late") && !groups.contains("meanwhile"), "\(groups)")
        #expect(try await !pair.idp(["group", "list"]).printed.contains("late"))
    }

    @Test("a backup is made while another process holds the lock, and a note says that the audit log has no row for it")
    func withoutRow() async throws {
        let pair = try ProcessDeployment()
        let backup = pair.folder.path(of: "backup.sqlite")
        let other = try await SQLiteDatabase(path: pair.databasePath, migrations: IdPMigrations.all)
        let gate = DispatchSemaphore(value: 0)
        let holder = await other.hold(gate)
        let made = try await pair.idp(["backup", backup])
        gate.signal()
        try await holder.value
        await other.close()
        #expect(made.printed.contains("Backed up \(pair.databasePath) into \(backup), "))
        #expect(made.log.contains("the audit log has no row for this backup: "), "\(made.log)")
        #expect(try await pair.idp(["backup", "--verify", backup]).printed.contains("can be restored"))
    }

    @Test("a backup never overwrites a file, and leaves no partial file")
    func overwrites() async throws {
        let pair = try ProcessDeployment()
        let taken = try pair.folder.write("mine", to: "taken")
        let nowhere = pair.folder.path(of: "no/such/folder/file")
        try await ProcessDeployment.running(pair) { pair in
            for (file, words) in [(taken, "it exists already"), (nowhere, "No such file")] {
                let refused = try await pair.idp(["backup", file], endsWith: 1)
                #expect(refused.log.contains(words), "\(refused.log)")
            }
            try await pair.idp(["backup"], endsWith: 64)
            try await pair.idp(["backup", taken], settings: ["IDP_DATABASE_URL": "x"], endsWith: 78)
        }
        #expect(pair.folder.text(of: "taken") == "mine")
        let left = try FileManager.default.contentsOfDirectory(atPath: pair.folder.path).filter { $0.contains(".new-") }
        #expect(left == [])
    }

    @Test(
        "a file that is not a complete backup of the IdP is refused, and the database is unchanged",
        arguments: ["missing", "garbage", "empty", "foreign", "newer", "in use", "itself"])
    func notOurs(kind: String) async throws {
        let pair = try ProcessDeployment()
        try await ProcessDeployment.running(pair) { _ in }
        let file = kind == "itself" ? pair.databasePath : pair.folder.path(of: "file")
        switch kind {
        case "garbage": try pair.folder.write(String(repeating: "no database. ", count: 1000), to: "file")
        case "empty": try pair.folder.write("", to: "file")
        case "foreign":
            let foreign = [Migration(name: "s1", sql: ["CREATE TABLE guestbook (id INTEGER)"])]
            await (try SQLiteDatabase(path: file, migrations: foreign)).close()
        case "newer":
            let newer = IdPMigrations.all + [Migration(name: "v999", sql: ["CREATE TABLE later (id INTEGER)"])]
            await (try SQLiteDatabase(path: file, migrations: newer)).close()
        case "in use":
            await (try SQLiteDatabase(path: file, migrations: IdPMigrations.all)).close()
            try pair.folder.write("frames", to: "file-wal")
        default: break
        }
        let before = try Data(contentsOf: URL(filePath: pair.databasePath))
        for command in [["restore", file], ["restore", file, "--unverified"], ["backup", "--verify", file]] {
            let refused = try await pair.idp(command, endsWith: 1)
            #expect(refused.log.contains(file), "\(refused.log)")
        }
        #expect(try Data(contentsOf: URL(filePath: pair.databasePath)) == before)
        let left = try FileManager.default.contentsOfDirectory(atPath: pair.folder.path).filter {
            $0.contains(".new-") || $0.contains("before-restore")
        }
        #expect(left == [])
    }

    @Test(
        "a damaged or missing database is replaced as well, and its write-ahead log is set aside",
        arguments: [true, false])
    func damaged(isThere: Bool) async throws {
        let pair = try ProcessDeployment()
        let backup = pair.folder.path(of: "backup.sqlite")
        try await ProcessDeployment.running(pair) { pair in
            _ = try await Self.signIn("ann", pair)
            try await pair.idp(["backup", backup])
        }
        try FileManager.default.removeItem(atPath: pair.databasePath)
        if isThere { try pair.folder.write(String(repeating: "damaged ", count: 1000), to: "idp.sqlite") }
        try pair.folder.write("frames of the old file", to: "idp.sqlite-wal")
        try await pair.idp(["restore", backup])
        #expect(!FileManager.default.fileExists(atPath: pair.databasePath + "-wal"))
        try await ProcessDeployment.running(pair) { pair in
            let ids = try await Self.ids(pair)
            #expect(ids.keys.sorted() == ["ann@example.com"])
        }
    }

    @Test(
        "what had ended since the backup is printed and stays ended, unless --keep-identities, or nothing can be compared"
    )
    func endedSince() async throws {
        let pair = try ProcessDeployment()
        let backup = pair.folder.path(of: "backup.sqlite")
        let key = ["IDP_SECRET_KEY": try #require(pair.idp.settings["IDP_SECRET_KEY"])]
        func rows() async throws -> [String] {
            try await pair.stored { stored in
                let disabled = try await stored.accounts.disabled.ids().map { "\($0) disabled" }
                return (try await stored.identities.ownersAndSubjects() + disabled).sorted()
            }
        }
        try await pair.stored { stored in
            try await stored.signingKeys.add((id: "leaked", generation: 1), (id: "next", generation: 2))
            try await stored.accounts.add(["ann", "bob"].map { AddedAccount($0, "\($0)@example.com", name: $0) })
            try await stored.identities.add(
                [("ann", "subject-1"), ("ann", "subject-2"), ("bob", "subject-3")].map {
                    AddedIdentity($0, $1, provider: "google")
                })
        }
        let made = try await pair.idp(["backup", backup], settings: key)
        #expect(!made.printed.contains("Warning"), "\(made.printed)")
        let whole = try Data(contentsOf: URL(filePath: backup))
        let names = try Set(FileManager.default.contentsOfDirectory(atPath: pair.folder.path))
        // Needs no database.
        let nowhere = ["IDP_DATABASE_URL": "sqlite:\(pair.folder.path(of: "nowhere.sqlite"))"]
        let verified = try await pair.idp(["backup", "--verify", backup], settings: key.merging(nowhere) { $1 })
        #expect(verified.printed.contains("can be restored.\nThe backup is whole, and was made with IDP_SECRET_KEY."))
        #expect(try Data(contentsOf: URL(filePath: backup)) == whole)
        let left = try FileManager.default.contentsOfDirectory(atPath: pair.folder.path)
        #expect(Set(left.filter { !$0.hasPrefix("idp-") }).isSubset(of: names), "\(left)")
        try await pair.stored { stored in
            try await stored.identities.subject("subject-1").delete()
            try await stored.accounts.id("bob").disable()
            try await stored.accounts.id("ann").end(at: Timestamp(milliseconds: 86_400_000))
            try await stored.signingKeys.id("leaked").delete()
        }
        let damaged = pair.folder.path(of: "damaged.sqlite")
        var bytes = try Data(contentsOf: URL(filePath: backup))
        bytes[5000] ^= 4
        try bytes.write(to: URL(filePath: damaged))
        let foreign = ["IDP_SECRET_KEY": TestSecret.new()]
        for command in [["restore"], ["backup", "--verify"]] {
            let refused = try await pair.idp(command + [damaged], settings: key, endsWith: 1)
            #expect(refused.log.contains("does not match"), "\(refused.log)")
            let other = try await pair.idp(command + [backup], settings: foreign, endsWith: 1)
            #expect(other.log.contains("--unverified"), "\(other.log)")
        }

        let restored = try await pair.idp(["restore", backup], settings: key).printed
        #expect(restored.contains("was made with IDP_SECRET_KEY"), "\(restored)")
        for line in [
            "ann@example.com  identity     google    subject-1", "bob@example.com  disabled",
            "                 signing key            leaked (RS256)",
        ] {
            #expect(restored.contains("\n\(line)\n"), "\(restored)")
        }
        #expect(restored.contains("\nann@example.com  ends at                1970-01-02T00:00:00"), "\(restored)")
        #expect(try await rows() == ["ann subject-2", "bob disabled", "bob subject-3"])

        let kept = try await pair.idp(["restore", backup, "--keep-identities"], settings: key).printed
        #expect(kept.contains("--keep-identities has brought them back:") && kept.contains("subject-1"), "\(kept)")
        let all = ["ann subject-1", "ann subject-2", "bob subject-3"]
        #expect(try await rows() == all)

        let equal = try await pair.idp(["restore", backup], settings: key).printed
        #expect(equal.contains("no identity was removed") && equal.contains("2 accounts"), "\(equal)")
        try FileManager.default.removeItem(atPath: pair.databasePath)
        let alone = try await pair.idp(["restore", backup], settings: key).printed
        #expect(alone.contains("could not be compared, because there was no database"), "\(alone)")
        #expect(try await rows() == all)
    }
}
