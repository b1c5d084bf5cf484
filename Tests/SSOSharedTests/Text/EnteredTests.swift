import Testing

@testable import SSOShared
@testable import TestKit

@Suite("Codes, names and files as people type and write them", .rules)
struct EnteredTests {
    @Test("every decimal digit of Unicode counts by its value, and no other number does")
    func digits() {
        var count = 0
        for value in UInt32(0)..<0x110000 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            guard scalar.properties.generalCategory == .decimalNumber else {
                #expect(Entered.digit(scalar) == nil)
                continue
            }
            count += 1
            #expect(Entered.digit(scalar).map { (0...9).contains($0) } == true)
            #expect(scalar.properties.numericValue == Entered.digit(scalar).map(Double.init))
        }
        #expect(count >= 650)
    }

    @Test(
        "exactly so many digits, with blanks, dashes and marks left out",
        arguments: [
            ("4711", "4711"), ("４７ １１", "4711"), ("٤٧-١١", "4711"), ("„4711“.", "4711"),
            ("\u{200e}47\u{200b}11\u{2069}", "4711"),
            ("471", nil), ("47111", nil), ("47.11", nil), ("471²", nil), ("", nil), ("471１a", nil),
        ] as [(String, String?)])
    func codes(typed: String, code: String?) {
        #expect(Entered.digits(typed, count: 4) == code)
    }

    @Test(
        "a name loses white space and invisible marks at its ends, and keeps joiners and overrides",
        arguments: [
            ("\u{feff} Ann\u{200b}", "Ann"), ("\u{2066}Ann\u{2069}\u{a0}", "Ann"), ("A\u{200b}nn", "A\u{200b}nn"),
            ("\u{202e}nnA", "\u{202e}nnA"), ("\u{915}\u{94d}\u{200d}", "\u{915}\u{94d}\u{200d}"), ("\u{200b}", ""),
        ])
    func names(typed: String, name: String) {
        #expect(Entered.name(typed).unicodeScalars.elementsEqual(name.unicodeScalars))
    }

    @Test("a file loses one byte order mark at its start, and other bytes than UTF-8 are no text")
    func files() {
        #expect(Entered.file([0xef, 0xbb, 0xbf, 0x41]) == "A" && Entered.file([0x41]) == "A" && Entered.file([]) == "")
        #expect(Entered.file([0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf]) == "\u{feff}")
        #expect(Entered.file([0x41, 0xff]) == nil && Entered.file([0xff, 0xfe, 0x41, 0]) == nil)
    }

    @Test(
        "quotation marks of either kind around a value are found, and one alone is not",
        arguments: [
            ("\"Shop\"", true), ("'Shop'", true), ("\"Shop", false), ("\"Shop'", false), ("\"", false), ("Shop", false),
            ("„Shop“", false), ("", false),
        ])
    func quotes(text: String, isQuoted: Bool) {
        #expect(Entered.isQuoted(text) == isQuoted)
    }

    @Test(
        "characters that cannot be seen have a name, with their place",
        arguments: [
            ("abc\u{200b}d", "a zero-width space at position 4"), ("\u{feff}a", "a byte order mark at position 1"),
            ("a b\u{a0}", "a no-break space at position 4"), ("a\u{ad}", "a soft hyphen at position 2"),
            ("a\u{2060}", "a word joiner at position 2"), ("\u{202e}a", "a direction mark at position 1"),
            ("a\u{1b}", "a control character (U+001B) at position 2"), ("a\u{2003}", "a space (U+2003) at position 2"),
            ("a\u{fff9}", "an invisible character (U+FFF9) at position 2"), ("a b ü 李 ☃", nil),
        ] as [(String, String?)])
    func unseen(text: String, words: String?) {
        #expect(UnseenCharacter.first(in: text) == words)
        let sentence = words.map { " The value has \($0)." } ?? ""
        #expect(UnseenCharacter.sentence(about: text, after: "is wrong.") == sentence)
        #expect(UnseenCharacter.sentence(about: text, after: words ?? "") == "")
        #expect(SpellingSuggestion.question(text, among: []) == (words.map { " It has \($0)." } ?? ""))
    }
}
