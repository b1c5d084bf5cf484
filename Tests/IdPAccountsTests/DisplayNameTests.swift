import SSOWeb
import Testing

@testable import IdPAccounts
@testable import SSOWeb
@testable import TestKit

@Suite("Display names", .rules)
struct DisplayNameTests {
    @Test(
        "a name is stored as it is visible",
        arguments: [
            ("Ann", "Ann"), ("  Ann   Lee ", "Ann Lee"), ("Ann\r\nLee", "Ann Lee"), ("Zoë O'Brien-Ø", "Zoë O'Brien-Ø"),
            ("李小龍", "李小龍"), ("محمد", "محمد"), ("👩‍👧 Ann", "👩‍👧 Ann"), ("<b>Ann</b>", "<b>Ann</b>"), ("7", "7"),
            ("\u{feff}Ann", "Ann"), ("\u{2066}Ann\u{2069}", "Ann"), ("\u{200e}Ann \u{200b}", "Ann"),
            ("❤\u{fe0f}", "❤\u{fe0f}"),
            (String(repeating: "a", count: 80), String(repeating: "a", count: 80)),
        ])
    func kept(typed: String, name: String) {
        #expect(DisplayName.normalised(typed) == name)
    }

    @Test(
        "invisible text, and text that hides or reorders other text, is refused",
        arguments: [
            "", "   ", "\r\n", "\u{200d}", "\u{200c}\u{200d}", "\u{200b}", "\u{ad}", "A\u{feff}nn", "Ann\u{202e}nnA",
            "Ann\u{0}",
            "Ann\u{1b}[31m", "\u{2028}", "Ann\u{202e}", "\u{115f}", "\u{3164}\u{3164}", "\u{2800}", "\u{fe0f}",
            "\u{e000}",
            "\u{301}", String(repeating: "a", count: 81), "a" + String(repeating: "\u{301}", count: 4000),
        ])
    func refused(typed: String) {
        #expect(DisplayName.normalised(typed) == nil)
    }

    @Test(
        "the first display name is the part before the @",
        arguments: [("ann@example.com", "ann"), ("a.b+c@x.org", "a.b+c")])
    func initial(address: String, name: String) {
        #expect(DisplayName.initial(for: address) == name)
    }
}
