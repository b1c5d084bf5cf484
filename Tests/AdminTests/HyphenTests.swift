import SSOShared
import Testing

@testable import TestKit

/// Words with a hyphen that a narrow page would break at it.
@Suite("Hyphens in the texts of pages", .program)
struct HyphenTests {
    /// Texts of emails, whose lines other programs break.
    private static let ofEmails = [
        "mail.", "browser-mail.", "invitation.mail.", "notice.", "own-mail.", "admin.mail-audit", "admin.mail-intro",
        "admin.mail-more", "admin.mail-not-known", "admin.mail-subject", "admin.mail-title",
    ]

    private static func english() throws -> [(path: String, text: String)] {
        try TextSources.files(in: "Sources", ending: "json").filter { $0.path.hasSuffix("/Texts/en.json") }
            .map { ($0.path, $0.text) }
    }

    @Test("sign-in in an English headline has one, too")
    func headlines() throws {
        for (path, text) in try Self.english() where path.contains("/IdP/") {
            let members = try JSONReader.readStrictly(Array(text.utf8)).object ?? []
            for member in members where member.key.hasSuffix(".title") || member.key.hasSuffix("-title") {
                #expect(member.value.string?.lowercased().contains("sign-in") == false, "\(path): \(member.key)")
            }
        }
    }

    @Test("the English texts have one kind of apostrophe")
    func apostrophes() throws {
        for (path, text) in try Self.english() {
            #expect(!text.contains("\u{2019}"), "\(path)")
        }
    }

    @Test("E-Mail in German and e-mail in French have a hyphen that does not break", arguments: ["de", "fr"])
    func emails(_ language: String) throws {
        let files =
            language == "de"
            ? try TextSources.files(in: "Sources", ending: "json").filter { $0.path.hasSuffix("/Texts/de.json") }
            : try TextSources.files(in: "languages/\(language)", ending: "json")
        #expect(files.count > 5)
        for (path, text) in files {
            let members = try JSONReader.readStrictly(Array(text.utf8)).object ?? []
            for member in members where !Self.ofEmails.contains(where: member.key.hasPrefix) {
                let words = member.value.string?.lowercased() ?? ""
                #expect(!words.contains("e-mail"), "\(path): \(member.key) needs U+2011")
            }
        }
    }
}
