import Testing

@testable import IdPAccounts
@testable import TestKit

@Suite("Who may sign in: IDP_ALLOWED_EMAILS", .rules)
struct AllowedEmailsTests {
    @Test(
        "an item counts as a person meant it",
        arguments: [
            ("*@exümple.example", "ann@xn--exmple-4ya.example"), ("*@EXÜMPLE.example", "ann@xn--exmple-4ya.example"),
            ("*＠example。com", "ann@example.com"), ("\u{feff}*@exam\u{200b}ple.com\u{a0}", "ann@example.com"),
            ("\"*@example.com\"", "ann@example.com"), ("'ann@example.com', b@b.example", "ann@example.com"),
            ("„ann@example.com“, b@b.example", "ann@example.com"),
            ("b@b.example, <Ann@Example.com>", "ann@example.com"),
            ("mailto:ann@пример.рф", "ann@xn--e1afmkfd.xn--p1ai"),
            ("\"*@a.example, ann@example.com\"", "ann@example.com"),
        ])
    func read(text: String, address: String) throws {
        let allowed = try AllowedEmails(text)
        #expect(allowed.contains(address))
        #expect(!allowed.contains("eve@evil.example"))
    }

    @Test(
        "an item that is no address and no pattern is refused, with what is wrong",
        arguments: [
            ("ann..lee@example.com", "two full stops in a row"), ("*@example", "has no full stop"),
            ("*@exa_mple.com", "\"_\" (U+005F)"), ("bücher@example.com", "\"ü\" (U+00FC) at position 2"),
            ("a*@example.com", "is not a valid item"), ("**@example.com", "is not a valid item"),
            ("*@*.example.com", "is not a valid item"), ("ann @example.com", "contains a space"),
            ("*@", "is not a valid item"),
        ])
    func refused(text: String, words: String) {
        let error = #expect(throws: (any Error).self) { try AllowedEmails(text) }
        #expect(error.map { "\($0)".contains(words) } == true, "\(error.map { "\($0)" } ?? "")")
    }
}
