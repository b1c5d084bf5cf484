import Foundation
import SSOWeb
import Testing

@testable import IdPApps
@testable import IdPInboundMail
@testable import IdPMail
@testable import IdPSignIn
@testable import TestKit

@Suite("The documents", .deployment)
struct DocumentTests {
    @Test("the tables of docs/settings.md have every setting, and neither they nor README.md name an unknown setting")
    func settings() throws {
        #expect(try Self.settingsInTables("docs/settings.md") == DeployTests.settings)
        let few = try Self.settingsInTables("README.md")
        #expect(few.count > 5 && few.isSubset(of: DeployTests.settings))
    }

    @Test("every link to a file of the repository, and to a heading in it, resolves", arguments: pages)
    func links(page: String) throws {
        let folder = Self.root.appending(path: page).deletingLastPathComponent()
        for match in try Self.prose(page).matches(of: #/\]\(([^)\s]+)\)/#) where !match.1.contains(":") {
            let parts = match.1.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let target = parts[0].isEmpty ? Self.root.appending(path: page) : folder.appending(path: parts[0])
            #expect(FileManager.default.fileExists(atPath: target.path()), "\(page): \(match.1)")
            guard parts.count == 2, target.pathExtension == "md" else { continue }
            let headings = try String(contentsOf: target, encoding: .utf8).split(separator: "\n")
                .filter { $0.hasPrefix("#") }
            #expect(headings.map(Self.anchor).contains(parts[1]), "\(page): \(match.1)")
        }
    }

    @Test(
        "every test suite and every path that the threat model, the table of its tests and the architecture name exists",
        arguments: ["docs/threat-model.md", "Tests/defences.md", "docs/architecture.md"])
    func references(page: String) throws {
        let tests = FileManager.default.enumerator(atPath: Self.root.appending(path: "Tests").path())
        let files = Set((tests?.allObjects as? [String] ?? []).map { ($0 as NSString).lastPathComponent })
        let text = try Self.text(page)
        let suites = text.matches(of: #/`([A-Z][A-Za-z]+(?:Tests|Journeys))`/#).map { String($0.1) }
        #expect(suites.count > 10 || page == "docs/threat-model.md")
        for suite in suites { #expect(files.contains("\(suite).swift"), "\(page): \(suite)") }
        for match in text.matches(of: #/`((?:Sources|Tests|script|deploy|docs)/[^`\s]+)`/#) {
            let path = Self.root.appending(path: String(match.1)).path()
            #expect(FileManager.default.fileExists(atPath: path), "\(page): \(match.1)")
        }
    }

    @Test("the table of docs/architecture.md has every target of Sources, and what it imports of ours")
    func targets() throws {
        let package = try Self.text("Package.swift")
        var imports: [String: Set<String>] = [:]
        for target in package.matches(of: #/\.(?:target|executableTarget|systemLibrary)\(\s*name: "(\w+)"/#) {
            // What follows the list of dependencies begins with one of these.
            let rest = package[target.range.upperBound...]
            let list = rest.prefix(
                upTo: rest.firstMatch(of: #/(?:path|resources|swiftSettings|pkgConfig):/#)?.range.lowerBound
                    ?? rest.endIndex)
            imports[String(target.1)] = Set(
                list.replacing(#/\.product\([^)]*\)/#, with: "").replacing(#/\.target\(name: ("\w+")[^)]*\)\)/#) {
                    $0.1
                }
                .matches(of: #/"(\w+)"/#).map { String($0.1) })
        }
        let rows = try Self.text("docs/architecture.md").split(separator: "\n").filter { $0.hasPrefix("| `") }
        var listed: [String: Set<String>] = [:]
        for row in rows {
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 4, imports[cells[0].filter { $0 != "`" }] != nil else { continue }
            listed[cells[0].filter { $0 != "`" }] = Set(cells[2].matches(of: #/`(\w+)`/#).map { String($0.1) })
        }
        let shims: Set = ["CCurl", "COpenSSL", "CPostgres", "CSQLite", "CZlib"]
        #expect(listed == imports.filter { !shims.contains($0.key) })
        #expect(listed.count > 20)
    }

    @Test("the rows of the identity provider's targets in docs/architecture.md name each of their folders")
    func folders() throws {
        let rows = try Self.text("docs/architecture.md").split(separator: "\n")
        let home = Self.root.appending(path: "Sources/IdP")
        func items(_ path: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: home.appending(path: path).path())
        }
        // Each protocol is a target.
        for target in try items("").filter({ $0 != "Protocols" }) + items("Protocols").map({ "Protocols/\($0)" }) {
            let name = target == "Program" ? "IdP" : "IdP\(target.split(separator: "/").last ?? "")"
            let row = try #require(rows.first { $0.hasPrefix("| `\(name)` ") }, "\(name)")
            for folder in try FileManager.default.contentsOfDirectory(
                at: home.appending(path: target), includingPropertiesForKeys: [.isDirectoryKey])
            where try folder.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true {
                let isNamed = folder.lastPathComponent == "Texts" || row.contains("`\(folder.lastPathComponent)`")
                #expect(isNamed, "\(name): \(folder.lastPathComponent)")
            }
        }
    }

    @Test("every event that docs/events.md names is logged by a program")
    func events() throws {
        let page = try Self.text("docs/events.md")
        let start = try #require(page.range(of: "\n## The commonest failures\n")?.upperBound)
        let section = page[start...].prefix(upTo: try #require(page.range(of: "\n## Audit events\n")?.lowerBound))
        let events = section.matches(of: #/`([a-z]+(?:_[a-z]+)+)`/#).map { String($0.1) }
        #expect(events.count > 20)
        let logged = try Self.loggedEvents(events)
        for event in events { #expect(logged.contains(event), "\(event)") }
    }

    @Test(
        "the commonest failures in docs/events.md are at least twenty, each with an event, with codes and texts that exist"
    )
    func failures() throws {
        let page = try Self.text("docs/events.md")
        let start = try #require(page.range(of: "\n## The commonest failures\n")?.upperBound)
        let section = page[start...].prefix(upTo: try #require(page.range(of: "\n## Alarms\n")?.lowerBound))
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2)
        #expect(rows.count >= 20)
        let sources = try Self.sources()
        let texts = try TextSources.files(in: "Sources", ending: "json").filter { $0.path.hasSuffix("/Texts/en.json") }
        for row in rows {
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            try #require(cells.count == 3, "\(row)")
            for quote in cells[0].matches(of: #/"([^"]+)"/#).map({ String($0.1) }) {
                #expect(texts.contains { $0.text.contains(quote) }, "\(quote)")
            }
            let events = cells[1].matches(of: #/`([a-z]+(?:_[a-z]+)+)`/#).map { String($0.1) }
            #expect(cells[1].hasPrefix("`") && !events.isEmpty, "\(row)")
            for event in events { #expect(sources.contains { $0.contains("\"\(event)\"") }, "\(event)") }
            for code in cells[1].matches(of: #/(?:reason|code)=([a-z_]+)`/#).map({ String($0.1) }) {
                let isNamed = sources.contains { $0.contains("\"\(code)\"") || $0.contains("case \(code)\n") }
                #expect(isNamed, "\(code)")
            }
        }
    }

    @Test("docs/events.md explains every reason of reply_ignored")
    func replyReasons() throws {
        let page = try Self.text("docs/events.md")
        let cells = Set(
            page.split(separator: "\n").filter { $0.hasPrefix("| `") }.flatMap { row in
                row.dropFirst().prefix { $0 != "|" }.matches(of: #/`([a-z0-9_]+)`/#).map { String($0.1) }
            })
        let reasons = ReplyMessageError.allCases.map(\.rawValue) + ReplyReceiver.ProofError.allCases.map(\.rawValue)
        for reason in reasons { #expect(cells.contains(reason), "\(reason)") }
    }

    @Test("docs/native-apps.md explains every event of a handoff and every reason, and both are logged")
    func handoffReasons() throws {
        let page = try Self.text("docs/native-apps.md")
        let start = try #require(page.range(of: "\n## What goes wrong\n")?.upperBound)
        let section = page[start...].prefix(upTo: try #require(page.range(of: "\n## Limits\n")?.lowerBound))
        let named = Set(section.matches(of: #/`(?:reason=)?([a-z0-9]+(?:_[a-z0-9]+)*)`/#).map { String($0.1) })
        let reasons =
            HandoffRequestError.Cause.allCases.map(\.rawValue) + HandoffStore.CodeError.allCases.map(\.rawValue)
        for reason in reasons { #expect(named.contains(reason), "\(reason)") }
        let events = named.filter { $0.hasPrefix("handoff_") }
        #expect(events.isSubset(of: try Self.loggedEvents(events)))
        #expect(events.isSuperset(of: ["handoff_refused", "handoff_code_rejected", "handoff_cancelled"]))
    }

    @Test(
        """
        every decision begins with what it means for the reader in at most three lines, has a context, a decision and \
        alternatives, and is in the index by number with one line
        """)
    func decisions() throws {
        let files = Self.pages.filter { $0.hasPrefix("docs/decisions/0") }.map { String($0.dropFirst(15)) }
        #expect(files.map { Int($0.prefix(4)) } == (1...files.count).map { $0 })
        for file in files {
            let text = try Self.text("docs/decisions/\(file)")
            #expect(text.hasPrefix("# \(file.prefix(4)) "), "\(file)")
            let meaning = text.split(separator: "\n\n").dropFirst().first ?? ""
            #expect(meaning.hasPrefix("**What this means for you.** "), "\(file)")
            // Three lines of the width of a page.
            #expect(meaning.count <= 400, "\(file): \(meaning.count) characters")
            for part in ["**Context.** ", "**Decision.**", "**Not chosen.** "] {
                #expect(text.contains("\n\(part)"), "\(file): \(part)")
            }
        }
        let index = try Self.text("docs/decisions/README.md").split(separator: "\n")
        let links = index.compactMap { $0.prefixMatch(of: #/(- \[\d{4}\]\([^)]+\) )\S/#) }.map { String($0.1) }
        #expect(links == files.map { "- [\($0.prefix(4))](\($0)) " })
    }

    // MARK: - Reading the documents

    /// Which of these ids stand in the sources.
    private static func loggedEvents(_ events: some Sequence<String>) throws -> Set<String> {
        let sources = try sources()
        return Set(events.filter { event in sources.contains { $0.contains("\"\(event)\"") } })
    }

    private static func sources() throws -> [String] {
        let folder = root.appending(path: "Sources")
        return try #require(FileManager.default.enumerator(atPath: folder.path())).compactMap { $0 as? String }
            .filter { $0.hasSuffix(".swift") }
            .map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }
    }

    private static let root = TestVectors.repository

    /// Every page except the pages about findings, which are generated from the catalogue.
    static let pages: [String] = [
        "", "docs", "docs/decisions", "deploy", "examples/ios", "examples/android", "examples/openid",
        "examples/partners",
    ].flatMap { folder in
        let path = root.appending(path: folder).path()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { $0.hasSuffix(".md") }.sorted().map { folder.isEmpty ? $0 : "\(folder)/\($0)" }
    }

    private static func text(_ page: String) throws -> String {
        try String(contentsOf: root.appending(path: page), encoding: .utf8)
    }

    /// The settings in the first cells of a page's tables.
    private static func settingsInTables(_ page: String) throws -> Set<String> {
        let rows = try text(page).split(separator: "\n").filter { $0.hasPrefix("| `") }
        let cells = rows.map { $0.dropFirst().prefix { $0 != "|" } }
        return Set(cells.flatMap(settings))
    }

    private static func settings(in cell: Substring) -> [String] {
        cell.matches(of: #/`([A-Z]+_[A-Z_]+)`/#).map { String($0.1) }
    }

    /// A page without its code blocks.
    private static func prose(_ page: String) throws -> String {
        var isCode = false
        return try text(page).split(separator: "\n").filter { line in
            let isFence = line.drop { $0 == " " }.hasPrefix("```")
            if isFence { isCode.toggle() }
            return !isFence && !isCode
        }.joined(separator: "\n")
    }

    /// The anchor that GitHub makes of a heading: lower case, spaces as dashes, no punctuation.
    private static func anchor(_ heading: Substring) -> String {
        let words = heading.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces).lowercased()
        let kept = words.filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" || $0 == " " }
        return kept.replacing(" ", with: "-")
    }
}
