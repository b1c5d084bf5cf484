import Testing

@testable import IdPServer
@testable import RelyingParty
@testable import SSOWeb
@testable import TestKit

@Suite("The pages in a program", .program)
struct CompiledPagesTests {
    @Test("every template, text, style and script in the folder of a program is compiled in, byte for byte")
    func compiledIn() throws {
        for (folder, files) in [
            ("Sources/SSOWeb", [.web]), ("Sources/IdP", IdPPages.files),
            ("Sources/RelyingParty", RelyingPartyPages.files),
        ] {
            let contents = files.flatMap { files in
                [files.templates, files.partials, files.assets].flatMap { $0.map { ($0.key, $0.value) } }
                    + files.texts.flatMap { language, files in files.map { (language.rawValue, $0) } }
            }
            for ending in ["mustache", "json", "css", "js", "svg"] {
                for (path, text) in try TextSources.files(in: folder, ending: ending) {
                    let file = path.split(separator: "/").last.map(String.init) ?? path
                    let name =
                        [".partial.mustache", ".mustache", ".json"].first(where: file.hasSuffix)
                        .map { String(file.dropLast($0.count)) } ?? file
                    #expect(contents.contains { $0 == (name, Array(text.utf8)) }, "\(path)")
                }
            }
        }
    }
}
