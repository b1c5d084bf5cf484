import SSOWeb
import Testing

@testable import IdP
@testable import TestKit

/// Editing a settings file keeps what an operator wrote.
@Suite("The text of a settings file that idp init edits", .rules)
struct SettingsTextTests {
    @Test(
        "a value takes the place of its line, else of its example, else the end; all else stays byte for byte",
        arguments: [
            ("A=1\n# why\nB=2\n", "A=x\n# why\nB=2\n"), ("#A=1\nB=2\n", "A=x\nB=2\n"), ("B=2", "B=2\nA=x\n"),
            ("", "A=x\n"), ("# A=1 is wrong\n#A=1\n\n", "A=x\n#A=1\n\n"), ("A=1\nA=2\n", "A=1\nA=x\n"),
            (" A = 1 \r\nB=2\r\n", "A=x\nB=2\r\n"), ("export A=1\n", "A=x\n"), ("\u{FEFF}A=1\n", "A=x\n"),
            ("AB=1\n#BA=2\n", "AB=1\n#BA=2\nA=x\n"),
        ])
    func set(before: String, after: String) throws {
        var text = SettingsText(before)
        try text.set("A", to: "x")
        #expect(text.text == after)
    }

    @Test(
        "a value that both readers take alike is plain, another one stands between quotation marks",
        arguments: [
            ("Example Ltd <a@example.com>", "A=Example Ltd <a@example.com>\n"), ("it's", "A=it's\n"),
            ("a\\b", "A='a\\b'\n"), ("\"x\"", "A='\"x\"'\n"), ("a#b", "A=a#b\n"),
        ])
    func quotes(value: String, line: String) throws {
        var text = SettingsText("")
        try text.set("A", to: value)
        #expect(text.text == line)
    }

    @Test("a value that no quotation marks can hold is refused, and nothing is changed")
    func refused() {
        var text = SettingsText("A=1\n")
        #expect(throws: SettingError.self) { try text.set("A", to: "'\\") }
        #expect(text.text == "A=1\n")
    }

    @Test("removing a setting removes its lines and no example")
    func remove() {
        var text = SettingsText("#A=1\nA=2\nB=3\nA=4\n")
        text.remove("A")
        #expect(text.text == "#A=1\nB=3\n")
    }
}
