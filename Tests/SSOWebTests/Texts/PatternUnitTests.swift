import Testing

@testable import SSOWeb
@testable import TestKit

@Suite("Values and the punctuation around them", .rules)
struct PatternUnitTests {
    /// `before|piece|after` of each piece.
    private static func units(_ text: String) throws -> [String] {
        try #require(TextPattern(text)).units.map { unit in
            let piece =
                switch unit.piece {
                case .literal(let words): words
                case .value(let name), .time(let name), .ago(let name): name
                }
            return "\(unit.before)|\(piece)|\(unit.after)"
        }
    }

    @Test(
        "punctuation that touches a value stays with it, in every script, and words and blanks do not",
        arguments: [
            ("{email} is", ["|email|", "| is|"]), ("as {email}.", ["|as |", "|email|.", "||"]),
            ("{name} ({email}). Not", ["|name|", "| |", "(|email|).", "| Not|"]),
            ("{name}, {client}: on", ["|name|,", "| |", "|client|:", "| on|"]),
            ("«\u{a0}{name}\u{a0}» or {name}\u{a0}?", ["||", "«\u{a0}|name|\u{a0}»", "| or |", "|name|\u{a0}?", "||"]),
            ("„{name}“ und ¿{name}?", ["||", "„|name|“", "| und |", "¿|name|?", "||"]),
            ("{name}\u{a0}h and {name}/x", ["|name|", "|\u{a0}h and |", "|name|", "|/x|"]),
            ("هل {name}؟", ["|هل |", "|name|؟", "||"]),
        ])
    func touching(text: String, units: [String]) throws { #expect(try Self.units(text) == units) }

    @Test("in HTML both are in one box, and escaped, and in plain text nothing is added")
    func html() throws {
        let texts = Texts(
            language: .english,
            patterns: [
                "a": try #require(TextPattern("At {name}.")), "b": try #require(TextPattern("({name}) & {name}")),
            ],
            shared: [:])
        #expect(
            texts.html(Text("a", ["name": "ann@example.com"]))
                == "At <span class=\"unit\"><bdi>ann@example.com</bdi>.</span>")
        #expect(
            texts.html(Text("b", ["name": "<a>"]))
                == "<span class=\"unit\">(<bdi>&lt;a&gt;</bdi>)</span> &amp; <bdi>&lt;a&gt;</bdi>")
        #expect(texts.plain(Text("b", ["name": "<a>"])) == "(<a>) & <a>")
    }
}
