import Foundation
import Testing

@testable import IdPTestKit
@testable import TestKit

/// The commands that the documents print, on the programs of this build.
@Suite("The commands of the documents", .deployment)
struct DocumentCommandsTests {
    @Test("each exists with the options and arguments that the page gives it")
    func commands() async throws {
        var count = 0
        for page in DocumentTests.pages where !page.hasPrefix("docs/decisions/") {
            for command in try Self.commands(of: page) {
                count += 1
                // No database. A file of settings and paths in this folder keep the command away from a service that is
                // installed here. Past the command line each ends with another code than that of a wrong usage.
                let folder = try TemporaryFolder()
                try folder.write("LOG_FORMAT=text\n", to: ".env")
                let run = try await WellKnownRun.command(
                    ["/bin/sh", "-c", Self.moved(command, into: folder)], in: folder.path,
                    environment: ["PATH": "\(Programs.folder):/usr/bin:/bin"])
                #expect(run.code != 64 && run.code != 127, "\(page): \(command)\n\(run.errors)")
            }
        }
        #expect(count > 25)
    }

    /// What the commands of docs/operations.md find: two users, their groups, a client and the list of an import.
    private static let before = """
        mkdir backup root
        printf 'email,groups\\nann@example.com,staff\\nbob@example.com,staff\\n' > users.csv
        idp group add staff
        idp group add finance
        idp user import users.csv
        idp client add wiki --name Wiki --redirect-uri https://wiki.example.com/callback --group staff
        """

    @Test("each of docs/operations.md succeeds on a service that has what it names")
    func operations() async throws {
        let pair = try ProcessDeployment()
        try await pair.idp.start()
        try await pair.stop()
        // One goes on without an end, one names a message of its own.
        let commands = try Self.commands(of: "docs/operations.md").filter {
            $0.hasPrefix("idp ") && !$0.contains("--follow") && !$0.contains("retry evt_")
        }
        #expect(commands.count > 20)
        for command in commands {
            let folder = try TemporaryFolder()
            let database = "\(try folder.folder("var/lib/swift-sso-idp"))/idp.sqlite"
            try FileManager.default.copyItem(atPath: pair.databasePath, toPath: database)
            let name = command.split(separator: " ").prefix(4).joined(separator: " ")
            var lines = Self.before.split(separator: "\n").map(String.init).filter { !$0.hasPrefix(name) }
            if command.contains("restore") || command.contains("--verify") {
                lines.append("idp backup /backup/idp-2026-11-21.sqlite")
            }
            let script = (lines + [command]).map { Self.moved($0, into: folder) }.joined(separator: "\n")
            let environment = ["IDP_DATABASE_URL": "sqlite:\(database)", "PATH": "\(Programs.folder):/usr/bin:/bin"]
            let run = try await WellKnownRun.command(
                ["/bin/sh", "-e", "-c", script], in: folder.path,
                environment: pair.idp.settings.merging(environment) { $1 })
            #expect(run.code == 0, "\(command)\n\(run.errors)")
        }
    }

    /// The command with the absolute paths in a folder.
    private static func moved(_ command: String, into folder: TemporaryFolder) -> String {
        [" ", "sqlite:", "file:"].reduce(command) { text, before in
            text.replacing("\(before)/", with: "\(before)\(folder.path)/")
        }
    }

    /// The lines of the code blocks that call a program, without those that start it or ask questions.
    private static func commands(of page: String) throws -> [String] {
        var isCode = false
        var found: [String] = []
        for line in try ProtocolPage.text(of: page).replacing("\\\n", with: " ").split(separator: "\n") {
            let words = line.trimmingCharacters(in: .whitespaces)
            if words.hasPrefix("```") { isCode.toggle() }
            guard isCode, words.contains(#/^(?:idp|relying-party) [a-z-]+(?: |$)/#),
                !words.contains(#/ (?:serve|init)(?: |$)/#)
            else {
                continue
            }
            // What follows a pipe would hide the exit code.
            found.append(String(words.prefix { $0 != "|" }))
        }
        return found
    }
}
