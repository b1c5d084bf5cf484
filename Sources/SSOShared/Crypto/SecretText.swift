/// What a secret's text may look like. Works on Unicode scalars: for Swift `"\r\n"` is a single `Character`, and a
/// search for `"\n"` among characters would not find it.
enum SecretText {
    /// Without white space (Unicode property White_Space) at either end.
    static func trimmed(_ text: String) -> Substring.UnicodeScalarView {
        let start = Substring(text).unicodeScalars.drop(while: \.properties.isWhitespace)
        guard let last = start.lastIndex(where: { !$0.properties.isWhitespace }) else {
            return start[start.endIndex...]
        }
        return start[...last]
    }

    /// The first thing about the text that looks like an accident; nil when it may be a key.
    static func problem(in scalars: Substring.UnicodeScalarView) -> SharedSecretFault.Problem? {
        guard let first = scalars.first, let last = scalars.last else { return .empty }
        for scalar in scalars {
            if scalar.properties.isWhitespace { return .innerWhiteSpace }
            // Somebody decoded bytes that were not text: several different keys would have become this one.
            if scalar.value == 0xfffd { return .notUTF8 }
            switch scalar.properties.generalCategory {
            case .control: return .controlCharacter
            // Byte order mark, zero-width blanks and joiners, direction marks: pasted along, seen by nobody.
            case .format, .lineSeparator, .paragraphSeparator, .spaceSeparator: return .invisibleCharacter
            default: continue
            }
        }
        if scalars.count > 1, quotes.contains(where: { $0.0 == first && $0.1 == last }) { return .quoted }
        let bytes = String(scalars).utf8.count
        return bytes < SharedSecret.minimumBytes ? .tooShort(bytes: bytes) : nil
    }

    private static let quotes: [(Unicode.Scalar, Unicode.Scalar)] = [
        ("\"", "\""), ("'", "'"), ("`", "`"), ("\u{201c}", "\u{201d}"), ("\u{2018}", "\u{2019}"), ("\u{ab}", "\u{bb}"),
    ]
}
