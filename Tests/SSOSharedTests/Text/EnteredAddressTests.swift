import Testing

@testable import SSOShared
@testable import TestKit

@Suite("Addresses as people type and paste them", .rules)
struct EnteredAddressTests {
    private static let joined = "\u{915}\u{94d}\u{200d}\u{937}.com"

    @Test(
        "what no program shows is dropped anywhere, and white space around the address",
        arguments: [
            "ann@example.com\u{200b}", "\u{200e}ann@example.com\u{2069}", "\u{feff}ann@example.com",
            "a\u{ad}nn@example.com",
            "ann@exam\u{2060}ple.com", "ann@example.com\u{fe0f}", "an\u{200d}n@ex\u{200c}ample.com",
            "ann\u{34f}@example.com",
            "ann@\u{3164}example.com", "\u{a0}ann@example.com\u{3000}", "\tann@example.com\r\n",
            "\u{2003}ann@example.com\u{2028}",
        ])
    func unseen(typed: String) throws {
        #expect(try Entered.address(typed).text == "ann@example.com")
    }

    @Test(
        "the marks of a copied sentence or header are dropped",
        arguments: [
            "„ann@example.com“", "«ann@example.com»", "“ann@example.com.”", "'ann@example.com'", "'ann@example.com’,",
            "`ann@example.com`", "\"ann@example.com\"", "<ann@example.com>", "<ann@example.com>;", "(ann@example.com)",
            "[ann@example.com]", "{ann@example.com}", "「ann@example.com」。", "ann@example.com.", "ann@example.com,",
            "ann@example.com;", "ann@example.com:", "mailto:ann@example.com",
            "MAILTO:ann@example.com?subject=b@c.example",
            "<mailto:ann@example.com>", "mailto:ann%40example.com", "mailto:%61nn@example.com",
            "Ann Example <ann@example.com>",
            "\"Example, Ann\" <Ann@Example.com>", "ann@example.com <mailto:ann@example.com>", "Ann ＜ann＠example．com＞",
        ])
    func decoration(typed: String) throws {
        #expect(try Entered.address(typed).text == "ann@example.com")
    }

    @Test(
        "a domain of any script is kept in its ASCII form (UTS 46, not transitional), and shown in its own letters",
        arguments: [
            ("exümple.example", "xn--exmple-4ya.example"), ("EXÜMPLE.example", "xn--exmple-4ya.example"),
            ("exu\u{308}mple.example", "xn--exmple-4ya.example"), ("faß.de", "xn--fa-hia.de"),
            ("例え.テスト", "xn--r8jz45g.xn--zckzah"), ("пример.рф", "xn--e1afmkfd.xn--p1ai"),
            ("مثال.إختبار", "xn--mgbh0fb.xn--kgbechtv"), ("\u{131}.com", "xn--cfa.com"), ("\u{212a}.com", "k.com"),
            ("ｅｘａｍｐｌｅ．ｃｏｍ", "example.com"), ("example。com", "example.com"), (joined, "xn--11b2ezcw70k.com"),
            ("\u{915}\u{94d}\u{937}.com", "xn--11b2ezc.com"),
            ("xn--exmple-4ya.example", "xn--exmple-4ya.example"),
        ])
    func domains(written: String, ascii: String) throws {
        let address = try Entered.address("ann@\(written)")
        #expect(address.text == "ann@\(ascii)")
        #expect(try Entered.domain(written) == ascii)
        #expect(try Entered.address(address.shown) == address)
    }

    @Test("the shown form is that of the letters, and an ASCII form that leads elsewhere stays as it is")
    func shown() throws {
        #expect(try Entered.address("ann@EXÜMPLE.example").shown == "ann@exümple.example")
        #expect(try EmailAddress("ann@xn--a.example").shown == "ann@xn--a.example")
        #expect(EmailAddress.shown("no address") == "no address")
    }

    @Test(
        "a mark that can begin an address stays where nothing at the end is its partner",
        arguments: [
            ("'ann@example.com", "'ann@example.com"), ("\"'ann@example.com\"", "'ann@example.com"),
            ("{ann@example.com", "{ann@example.com"), ("o'brien@example.com'", "o'brien@example.com"),
            ("`ann@example.com.", "`ann@example.com"),
        ])
    func marks(typed: String, address: String) throws {
        #expect(try Entered.address(typed).text == address)
    }

    @Test(
        "what could be two addresses, or another one, is refused",
        arguments: [
            "ann@example.com,b@evil.example", "<a@evil.example>v@good.example", "a@evil.example <ann@example.com>",
            "Ann <ann@example.com> b@evil.example", "mailto:a@x.example,b@x.example",
            "\"a@evil.example x\"@good.example",
            "ann@example.com\r\nBcc: v@evil.example", "ａnn@example.com", "ann．lee@example.com",
            "m\u{131}ke@example.com",
            "bücher@example.com", "a%evil.example@example.com", "ann@a／b.com", "ann@a：80.com", "ann@ü%2f.com",
            "ann@ü_a.com",
            "ann@\u{2100}.com", "ann@\u{301}a.com", "ann@\u{5d0}a.com", "ann@-ü.com", "ann@1.2.3.\u{664}",
            "ann@exümple",
            "ann@x.com Ann", "ann\\@example.com", "ann@example.com/path",
            String(repeating: "\u{200b}", count: 2000) + "a@b.example",
            "ann@\(String(repeating: "ü", count: 70)).com", "", "\u{200b}", "„“",
        ])
    func refused(typed: String) {
        #expect(throws: EmailAddressError.self) { try Entered.address(typed) }
    }

    @Test(
        "the error names what is wrong, also what cannot be seen, and its place in the written text",
        arguments: [
            ("ann\u{a0}lee@example.com", "a no-break space at position 4"),
            ("an n@example.com", "a space at position 3"),
            ("\u{200b}an n@example.com", "a space at position 4"),
            ("ann\u{7}@example.com", "a control character (U+0007) at position 4"),
            ("ann@exa\u{2800}mple.com", "an empty Braille pattern at position 8"),
            ("ann@exa\u{3000}mple.com", "an ideographic space"),
            ("bücher@example.com", "\"ü\" (U+00FC) at position 2"),
            ("ann@exa_mple.com", "\"_\" (U+005F) at position 8"),
            ("ann..lee@example.com", "two full stops in a row"), (".ann@example.com", "begins with a full stop"),
            ("ann.@example.com", "before the @ ends with a full stop"), ("ann@example..com", "two full stops in a row"),
            ("ann@-a.com", "a hyphen at the beginning or end"), ("ann@example", "has no full stop"), ("ann", "one @"),
            ("a@b@c.example", "this text has more"), ("ann@192.0.2.1", "ends with a number"), (" ", "is empty"),
        ])
    func words(typed: String, words: String) throws {
        let error = #expect(throws: EmailAddressError.self) { try Entered.address(typed) }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }
}
