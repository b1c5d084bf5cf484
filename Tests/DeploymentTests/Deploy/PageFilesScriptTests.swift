import Foundation
import Testing

@testable import TestKit

/// Plugins/page-files, which PageFilesPlugin calls. The programs show that its output compiles.
@Suite("The source file of a target's pages", .deployment)
struct PageFilesScriptTests {
    private static let script = DeployTests.folder.deletingLastPathComponent().appending(path: "Plugins/page-files")

    private static func run(_ module: String, _ files: [String], in folder: TemporaryFolder) async throws
        -> WellKnownRun
    {
        try await WellKnownRun.command(
            [script.path(), folder.path(of: "made"), module, "signIn"] + files.map(folder.path(of:)))
    }

    @Test("it has each text as it is, a picture as its bytes, and names without folders")
    func content() async throws {
        let folder = try TemporaryFolder()
        _ = try folder.folder("a b")
        try folder.write("<p title=\"\\(x)\">\n", to: "a b/page.mustache")
        try folder.write("no line break", to: "brand.css")
        try Data([137, 0, 255]).write(to: URL(fileURLWithPath: folder.path(of: "icon.png")))
        let run = try await Self.run("IdPSignIn", ["a b/page.mustache", "brand.css", "icon.png"], in: folder)
        #expect(run.code == 0 && run.errors.isEmpty, "\(run.errors)")
        #expect(
            folder.text(of: "made") == ######"""
                package import SSOWeb

                extension PageFiles {
                    package static let signIn = PageFiles([
                File("page.mustache", ####"""
                <p title="\(x)">

                """####),
                File("brand.css", ####"""
                no line break
                """####),
                File("icon.png", [
                137,0,255,
                ]),
                    ])
                }

                """######)
        #expect(try await Self.run("SSOWeb", ["brand.css"], in: folder).code == 0)
        #expect(folder.text(of: "made").hasPrefix("extension PageFiles {\n"))
    }

    @Test("two files of one name, or a file that is not there, stop the build")
    func refusals() async throws {
        let folder = try TemporaryFolder()
        _ = try folder.folder("other")
        for name in ["page.mustache", "other/page.mustache"] { try folder.write("", to: name) }
        let twice = try await Self.run("IdPSignIn", ["page.mustache", "other/page.mustache"], in: folder)
        #expect(twice.code == 1)
        #expect(twice.errors == "error: two files of IdPSignIn have the name page.mustache\n")
        #expect(try await Self.run("IdPSignIn", ["missing.css"], in: folder).code != 0)
        for name in ["de.json", "other/de.json"] { try folder.write("{}", to: name) }
        #expect(try await Self.run("IdPSignIn", ["de.json", "other/de.json"], in: folder).code == 0)
    }
}
