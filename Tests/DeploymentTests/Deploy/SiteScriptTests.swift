import Foundation
import Testing

@testable import TestKit

/// script/site, with the documents of this repository.
@Suite("script/site", .deployment)
struct SiteScriptTests {
    private static let repository = TestVectors.repository
    private static let script = repository.appending(path: "script/site").path()

    /// Debian's, for which script/setup --test-all installs the library.
    private static let hasLibrary = FileManager.default.fileExists(
        atPath: "/usr/lib/python3/dist-packages/markdown_it")

    /// The pages of a site by their path, and the folder.
    private static func made() async throws -> (pages: [String: String], folder: TemporaryFolder) {
        let folder = try TemporaryFolder()
        let run = try await WellKnownRun.command([script, folder.path(of: "site")])
        #expect(run.code == 0 && run.errors.isEmpty, "\(run)")
        let names = FileManager.default.enumerator(atPath: folder.path(of: "site"))?.allObjects as? [String] ?? []
        let pages = names.filter { $0.hasSuffix(".html") }.map { ($0, folder.text(of: "site/\($0)")) }
        return (Dictionary(uniqueKeysWithValues: pages), folder)
    }

    @Test(
        "every link inside resolves, with its anchor, and nothing is loaded from elsewhere and no script is run",
        .enabled(if: hasLibrary, "needs python3-markdown-it"))
    func links() async throws {
        let (pages, folder) = try await Self.made()
        #expect(pages.count > 100)
        let anchors = pages.mapValues { page in Set(page.matches(of: #/ id="([^"]*)"/#).map { String($0.1) }) }
        var count = 0
        for (path, page) in pages {
            #expect(!page.contains("<script") && !page.contains("<style") && !page.contains("style="), "\(path)")
            let found = page.matches(of: #/\s(href|src|srcset)="([^"]*)"/#)
            for (name, address) in found.map({ ($0.1, $0.2.replacing("&amp;", with: "&")) }) {
                if address.contains(":") {
                    // A link that a reader may follow.
                    #expect(name == "href" && address.hasPrefix("http"), "\(path): \(address)")
                    continue
                }
                count += 1
                let parts = address.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                let base = URL(filePath: "/\(path)")
                let target = parts[0].isEmpty ? base : URL(filePath: String(parts[0]), relativeTo: base)
                let file = String(target.standardizedFileURL.path().dropFirst())
                #expect(
                    FileManager.default.fileExists(atPath: folder.path(of: "site/\(file)")), "\(path): \(address)")
                if parts.count == 2 {
                    #expect(anchors[file]?.contains(String(parts[1])) == true, "\(path): \(address)")
                }
            }
        }
        #expect(count > 1000)
        let style = folder.text(of: "site/site.css")
        #expect(style.contains("{") && !style.contains("url(") && !style.contains("@import"))
    }

    @Test(
        "the evaluator's page is first, each role has one, and every document is a page that they lead to",
        .enabled(if: hasLibrary, "needs python3-markdown-it"))
    func roles() async throws {
        let (pages, _) = try await Self.made()
        let index = try #require(pages["index.html"])
        #expect(index.contains("<strong>What it is not, today.</strong>"))
        let roles = ["users.html", "operators.html", "partners.html", "apps.html", "reference.html"]
        for role in roles { #expect(index.contains("href=\"\(role)\""), "\(role)") }
        let lists = roles.compactMap { pages[$0] }.joined()
        for document in DocumentTests.pages where document.hasPrefix("docs/") && !document.contains("/decisions/0") {
            let path = document.dropFirst("docs/".count).replacing("README.md", with: "index.md")
            let page = "\(path.dropLast(".md".count)).html"
            #expect(pages[page] != nil, "\(document)")
            #expect(page == "users.html" || lists.contains("href=\"\(page)\""), "\(document)")
        }
    }

    @Test(
        "a folder that it has made is replaced, and another one that has files is left alone",
        .enabled(if: hasLibrary, "needs python3-markdown-it"))
    func folder() async throws {
        let (_, folder) = try await Self.made()
        try folder.write("old", to: "site/old.html")
        #expect(try await WellKnownRun.command([Self.script, folder.path(of: "site")]).code == 0)
        #expect(!FileManager.default.fileExists(atPath: folder.path(of: "site/old.html")))
        _ = try folder.folder("other")
        try folder.write("mine", to: "other/mine.txt")
        let refused = try await WellKnownRun.command([Self.script, folder.path(of: "other")])
        #expect(refused.code == 1 && refused.errors.contains("was not made by this script"))
        #expect(folder.text(of: "other/mine.txt") == "mine")
    }

    @Test("without its library it names the package")
    func noLibrary() async throws {
        // -S: Python without the folders of packages.
        let run = try await WellKnownRun.command(["/usr/bin/python3", "-S", Self.script])
        #expect(run.code == 1 && run.errors.contains("Install the package python3-markdown-it"))
    }

    @Test("an argument that it does not know is refused, with the usage", .enabled(if: hasLibrary))
    func arguments() async throws {
        let run = try await WellKnownRun.command([Self.script, "--open"])
        #expect(run.code == 64 && run.errors.contains("Usage: script/site [FOLDER]"))
        #expect(try await WellKnownRun.command([Self.script, "--help"]).output.hasPrefix("Usage: script/site"))
    }
}
