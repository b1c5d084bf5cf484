/// Names the characters that nobody can see, or tell from a space, for the words of errors.
package enum UnseenCharacter {
    /// `a zero-width space`. Nil for a character that can be seen.
    package static func name(_ scalar: Unicode.Scalar) -> String? {
        if let name = names.first(where: { $0.range.contains(scalar.value) })?.name { return name }
        let properties = scalar.properties
        if properties.isWhitespace { return "a space (\(code(scalar)))" }
        switch properties.generalCategory {
        case .control: return "a control character (\(code(scalar)))"
        case .format: return "an invisible character (\(code(scalar)))"
        default: return properties.isDefaultIgnorableCodePoint ? "an invisible character (\(code(scalar)))" : nil
        }
    }

    /// The first such character of a text, spaces left out, and its place: `a zero-width space at position 4`. Positions begin
    /// with 1. Nil where everything can be seen.
    package static func first(in text: String) -> String? {
        for (index, scalar) in text.unicodeScalars.enumerated() where scalar != " " {
            if let words = words(scalar, at: index + 1) { return words }
        }
        return nil
    }

    /// `a zero-width space at position 4`. Nil for a character that can be seen.
    package static func words(_ scalar: Unicode.Scalar, at position: Int) -> String? {
        name(scalar).map { "\($0) at position \(position)" }
    }

    /// The same as a sentence with a blank before it, for the end of an error. Empty where everything can be seen, or the error
    /// names the character itself.
    package static func sentence(about text: String, after error: any Error) -> String {
        sentence(about: text, after: "\(error)")
    }

    /// The same for the words of an error.
    ///
    /// - Parameter subject: what the text is, at the start of the sentence.
    package static func sentence(
        about text: String, after words: String, subject: String = "The value"
    ) -> String {
        guard let first = first(in: text), !words.contains(first) else { return "" }
        return " \(subject) has \(first)."
    }

    /// The text without such characters, spaces included.
    package static func removed(from text: String) -> String {
        if text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.filter { name($0) == nil }))
    }

    /// `U+200B`.
    package static func code(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    private static let names: [(range: ClosedRange<UInt32>, name: String)] = [
        (0x09...0x09, "a tab"), (0x0a...0x0a, "a line end"), (0x0d...0x0d, "a line end"), (0x20...0x20, "a space"),
        (0xa0...0xa0, "a no-break space"), (0xad...0xad, "a soft hyphen"),
        (0x34f...0x34f, "a combining grapheme joiner"), (0x61c...0x61c, "an Arabic letter mark"),
        (0x115f...0x1160, "a Hangul filler"), (0x17b4...0x17b5, "a Khmer vowel that is not shown"),
        (0x180b...0x180d, "a variation selector"), (0x180e...0x180e, "a Mongolian vowel separator"),
        (0x180f...0x180f, "a variation selector"), (0x200b...0x200b, "a zero-width space"),
        (0x200c...0x200c, "a zero-width non-joiner"), (0x200d...0x200d, "a zero-width joiner"),
        (0x200e...0x200e, "a left-to-right mark"), (0x200f...0x200f, "a right-to-left mark"),
        (0x2028...0x2028, "a line separator"), (0x2029...0x2029, "a paragraph separator"),
        (0x202a...0x202e, "a direction mark"), (0x202f...0x202f, "a narrow no-break space"),
        (0x2060...0x2060, "a word joiner"), (0x2061...0x2064, "an invisible operator"),
        (0x2066...0x2069, "a direction mark"), (0x2800...0x2800, "an empty Braille pattern"),
        (0x2800...0x2800, "a Braille pattern without dots"), (0x3000...0x3000, "an ideographic space"),
        (0x3164...0x3164, "a Hangul filler"),
        (0xfe00...0xfe0f, "a variation selector"), (0xfeff...0xfeff, "a byte order mark"),
        (0xffa0...0xffa0, "a Hangul filler"), (0xfffc...0xfffc, "a placeholder of a picture"),
        (0xe0000...0xe007f, "a tag character"), (0xe0100...0xe01ef, "a variation selector"),
    ]
}
