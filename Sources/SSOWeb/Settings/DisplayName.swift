import SSOShared

/// Owns the rule for names on pages: of users, clients and programs.
public enum DisplayName {
    /// In characters.
    public static let maximumLength = 80

    /// The name as it is stored, or nil if it is empty, too long, or has invisible characters.
    public static func normalised(_ text: String) -> String? {
        let words = Entered.name(text).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard !words.isEmpty, words.count <= maximumLength, words.utf8.count <= 4 * maximumLength else { return nil }
        let isPlain = words.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
            // Joiners belong to scripts and emoji. Marks that change the direction of text do not belong in a name.
            case .format: scalar.value == 0x200d || scalar.value == 0x200c
            default: true
            }
        }
        return isPlain && words.unicodeScalars.contains(where: isVisible) ? words : nil
    }

    /// The name of a client or program as it is stored, or nil. Unlike ``normalised(_:)`` it refuses line breaks and control
    /// characters: in a settings file they are mistakes, and joining the lines would show a name that nobody chose.
    public static func ofClient(_ text: String) -> String? {
        let isOneLine = Entered.name(text).unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
        return isOneLine ? normalised(text) : nil
    }

    /// What is wrong with a client's name that ``ofClient(_:)`` refuses, for the operator.
    public static func problem(ofClient text: String) -> String {
        let words = Entered.name(text).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        if words.isEmpty { return "must not be empty. Use a name that users know, for example Partner service." }
        if words.count > maximumLength { return "has \(words.count) characters; at most \(maximumLength) are allowed." }
        return "must be visible characters on one line, for example Partner service."
            + UnseenCharacter.sentence(about: text, after: "")
    }

    /// The name of a program or client that a setting holds.
    ///
    /// - Throws: ``SettingError`` for an empty, long or invisible one, and for one in quotation marks, which are those of a shell
    ///   or file: every page and email would show them.
    @Sendable public static func ofSetting(_ text: String) throws -> String {
        if Entered.isQuoted(Entered.name(text)) {
            throw SettingError("has quotation marks around it: give the bare value, for example Partner service.")
        }
        guard let name = ofClient(text) else { throw SettingError(problem(ofClient: text)) }
        return name
    }

    /// Whether a character is visible by itself. Joiners, fillers, spaces of other scripts and lone marks are not: a name
    /// of these alone would be a gap on pages and in emails.
    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .format, .nonspacingMark, .enclosingMark, .spaceSeparator: false
        // U+2800 is a Braille pattern without a dot.
        default: !scalar.properties.isDefaultIgnorableCodePoint && scalar.value != 0x2800
        }
    }
}
