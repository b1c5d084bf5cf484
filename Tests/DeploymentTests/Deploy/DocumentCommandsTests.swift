import Foundation
import Testing

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
                let here = [" ", "sqlite:", "file:"].reduce(command) { text, before in
                    text.replacing("\(before)/", with: "\(before)\(folder.path)/")
                }
                let run = try await WellKnownRun.command(
                    ["/bin/sh", "-c", here], in: folder.path,
                    environment: ["PATH": "\(Programs.folder):/usr/bin:/bin"])
                #expect(run.code != 64 && run.code != 127, "\(page): \(command)\n\(run.errors)")
            }
        }
        #expect(count > 25)
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
