/// Owns the rule for names: what a person may be called.
enum DisplayName {
    static let maximumLength = 80

    /// The name as it is kept, or nil when it cannot be one: empty, too long, or with characters nobody sees.
    static func normalised(_ text: String) -> String? {
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard !words.isEmpty, words.count <= maximumLength, words.utf8.count <= 4 * maximumLength else { return nil }
        let isPlain = words.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
            // Joiners belong to scripts and emoji; marks that turn the direction of text do not belong in a name.
            case .format: scalar.value == 0x200d || scalar.value == 0x200c
            default: true
            }
        }
        return isPlain && words.unicodeScalars.contains(where: isSeen) ? words : nil
    }

    /// The name of a client as it is kept, or nil. As ``normalised(_:)``, but for line breaks and control characters: in
    /// a settings file they are slips, and joining the lines would show a name that nobody wrote.
    static func ofClient(_ text: String) -> String? {
        let isOneLine = text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
        return isOneLine ? normalised(text) : nil
    }

    /// Whether a character can be seen by itself. Joiners, fillers, blanks of other scripts and lone marks cannot: a
    /// name of nothing else would leave a hole where partners and letters name the person.
    private static func isSeen(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .format, .nonspacingMark, .enclosingMark, .spaceSeparator: false
        // U+2800 is a Braille pattern without a dot.
        default: !scalar.properties.isDefaultIgnorableCodePoint && scalar.value != 0x2800
        }
    }

    /// What a person is called at first: the part before the @.
    static func initial(for email: String) -> String { String(email.prefix { $0 != "@" }) }
}
