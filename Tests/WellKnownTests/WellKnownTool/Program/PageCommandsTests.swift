import Foundation
import Testing

@testable import TestKit
@testable import WellKnownTool

/// A page of the documentation as a script: fenced blocks that are files, commands to run, and commands that need a
/// network or a phone.
///
/// The words after the fence select the kind. `yaml file=NAME` and `ini file=.env` are files. `sh` is run, with `exit=1` if that exit code
/// is expected. After `sh network`, or after a line `<!-- not run: network -->` above the fence, the block is not run,
/// but its calls of `wellknown` must be valid.
struct PageCommands: Sendable {
    struct Block: Sendable {
        let words: [String]
        let text: String
        let line: Int

        var file: String? { words.first { $0.hasPrefix("file=") }.map { String($0.dropFirst(5)) } }
        var isShell: Bool { words.first == "sh" }
        var isRun: Bool { isShell && !words.contains("network") }
        var exit: Int32 { words.first { $0.hasPrefix("exit=") }.flatMap { Int32($0.dropFirst(5)) } ?? 0 }

        /// Each command on one line, with continuation lines joined.
        var commands: [String] {
            text.replacing("\\\n", with: " ").split(separator: "\n").map(String.init)
        }
    }

    let blocks: [Block]

    init(_ page: String) throws {
        let root = TestVectors.repository
        let text = try String(contentsOf: root.appendingPathComponent(page), encoding: .utf8)
        var blocks: [Block] = []
        var open: (words: [String], lines: [Substring], start: Int)?
        var above: Substring = ""
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.hasPrefix("```") {
                if let block = open {
                    let body = block.lines.map { $0 + "\n" }.joined()
                    blocks.append(Block(words: block.words, text: body, line: block.start))
                    open = nil
                } else {
                    let words = line.dropFirst(3).split(separator: " ").map(String.init)
                    open = (above == "<!-- not run: network -->" ? words + ["network"] : words, [], number + 1)
                }
            } else {
                open?.lines.append(line)
            }
            above = line
        }
        self.blocks = blocks
    }
}

@Suite("The pages about wellknown", .deployment)
struct PageCommandsTests {
    static let pages = ["docs/universal-links.md", "docs/native-apps.md"]

    @Test("Every command of a page has the documented result, in the order of the page", arguments: pages)
    func commands(page: String) async throws {
        let folder = try TemporaryFolder()
        var count = 0
        for block in try PageCommands(page).blocks {
            if let name = block.file { try folder.write(block.text, to: name) }
            guard block.isRun else { continue }
            count += 1
            let own = URL(fileURLWithPath: WellKnownRun.program).deletingLastPathComponent().path
            // `script/test wellknown` builds only one of the programs.
            let needsIdP = block.text.contains("idp ")
            guard !needsIdP || FileManager.default.isExecutableFile(atPath: "\(own)/idp") else { continue }
            let run = try await WellKnownRun.command(
                ["/bin/sh", "-e", "-c", block.text], in: folder.path,
                environment: ["PATH": "\(own):/usr/local/bin:/usr/bin:/bin"])
            #expect(run.code == block.exit, "\(page):\(block.line): \(block.text)\(run.output)\(run.errors)")
        }
        #expect(count > 0)
    }

    @Test("Every call of wellknown that needs a network or a phone has valid arguments", arguments: pages)
    func calls(page: String) throws {
        for block in try PageCommands(page).blocks where block.isShell && !block.isRun {
            for command in block.commands {
                let words = command.split(separator: " ").map { String($0).replacing("'", with: "") }
                guard words.first == "wellknown" else { continue }
                let error = WellKnownProgram.usageError(in: Array(words.dropFirst()))
                #expect(error == nil, "\(page):\(block.line): \(command): \(error ?? "")")
            }
        }
        #expect(WellKnownProgram.usageError(in: ["lint", "--frobnicate"]) != nil)
    }

    @Test("The page about the program shows every command")
    func covered() throws {
        let all = try PageCommands("docs/universal-links.md").blocks.filter(\.isShell).map(\.text).joined()
        for command in [
            "lint", "match", "explain", "diff", "finding", "check", "qr", "generate", "fetch", "doctor", "fingerprint",
            "capability",
        ] {
            #expect(all.contains("wellknown \(command) "), "\(command)")
        }
    }

    @Test("The page's manifest equals the output of generate for the page's plan")
    func manifest() async throws {
        let blocks = try PageCommands("docs/universal-links.md").blocks
        let plan = try #require(blocks.first { $0.file == "links.yaml" })
        let manifest = try #require(blocks.first { $0.file == "AndroidManifest.xml" })
        let run = try await WellKnownRun.run(["generate", "--from", "-"], input: plan.text)
        let filter = run.output.split(separator: "\n").drop { !$0.hasPrefix("<intent-filter") }
        #expect(filter.count > 5)
        for line in filter {
            #expect(manifest.text.contains(line.trimmingCharacters(in: .whitespaces)), "\(line)")
        }
    }
}
