/// What a person typed or pasted, read as it was meant: one function for each kind of value. Every door uses these: forms, the
/// API, replies by email, commands, settings and files.
///
/// They drop only what cannot be part of the value, so that two values that may be different ones stay different.
package enum Entered {
    /// The ASCII digits of a code of ours. Nil for text that is not exactly `count` digits.
    ///
    /// Digits of every script count by their value (general category Nd). White space, dashes and invisible characters are
    /// ignored wherever they stand, and quotation marks, brackets and the end of a sentence around the code.
    package static func digits(_ text: String, count: Int) -> String? {
        var rest = text.unicodeScalars.filter { !isIgnorable($0) }[...]
        while let first = rest.first, first.properties.isWhitespace || Mark.isAround(first) { rest.removeFirst() }
        while let last = rest.last, last.properties.isWhitespace || Mark.isAround(last) || Mark.endsSentence(last) {
            rest.removeLast()
        }
        var digits = ""
        for scalar in rest where !scalar.properties.isWhitespace && !scalar.properties.isDash {
            guard let digit = digit(scalar), digits.utf8.count < count else { return nil }
            digits += String(digit)
        }
        return digits.utf8.count == count ? digits : nil
    }

    /// The first character that nobody can see and that ``digits(_:count:)`` does not leave out, with its place from 1: a control
    /// character, a placeholder of a picture. Nil for a text without one.
    package static func unseen(inDigits text: String) -> (scalar: Unicode.Scalar, position: Int)? {
        text.unicodeScalars.enumerated().lazy.map { (scalar: $0.element, position: $0.offset + 1) }.first {
            !isIgnorable($0.scalar) && !$0.scalar.properties.isWhitespace && UnseenCharacter.name($0.scalar) != nil
        }
    }

    /// The value of a decimal digit of any script: 0 to 9. Nil for `²`, `½`, `Ⅳ` and everything else.
    package static func digit(_ scalar: Unicode.Scalar) -> Int? {
        guard scalar.properties.generalCategory == .decimalNumber else { return nil }
        return scalar.properties.numericValue.map { Int($0) }
    }

    /// An address, see ``EnteredAddress``.
    package static func address(_ text: String) throws(EmailAddressError) -> EmailAddress {
        try EnteredAddress.read(text)
    }

    /// A text without invisible characters, and without white space and the marks of a copied sentence around it: for patterns
    /// of addresses.
    package static func bare(_ text: String) -> String {
        String(String.UnicodeScalarView(EnteredAddress.bare(EnteredAddress.placed(text)).map(\.scalar)))
    }

    /// A domain, in its ASCII form (``InternationalDomain``), lower-cased. It has a dot.
    package static func domain(_ text: String) throws(EmailAddressError) -> String {
        try EnteredAddress.domain(EnteredAddress.bare(EnteredAddress.placed(text)))
    }

    /// A name without white space and invisible marks at its ends. Joiners stay: they belong to scripts and emoji. Overrides of
    /// the direction stay as well, and the rule for names refuses them: without them the name would read in another way.
    package static func name(_ text: String) -> String {
        func isOuter(_ scalar: Unicode.Scalar) -> Bool {
            if scalar.properties.isWhitespace { return true }
            let isFormat = scalar.properties.generalCategory == .format && scalar.value < 0xe0000
            return isFormat && ![0x200c, 0x200d, 0x202d, 0x202e].contains(scalar.value)
        }
        var rest = text.unicodeScalars[...]
        while let first = rest.first, isOuter(first) { rest.removeFirst() }
        while let last = rest.last, isOuter(last) { rest.removeLast() }
        return String(rest)
    }

    /// The text of a file without the byte order mark that some editors write at its start. Nil for bytes that are not UTF-8.
    package static func file(_ bytes: some Collection<UInt8>) -> String? {
        String(validating: withoutByteOrderMark(bytes), as: UTF8.self)
    }

    /// The bytes of a file without the byte order mark of UTF-8 at their start.
    package static func withoutByteOrderMark<Bytes: Collection<UInt8>>(_ bytes: Bytes) -> Bytes.SubSequence {
        bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes.dropFirst(3) : bytes[...]
    }

    /// Whether the value stands in quotation marks of either kind, as `docker run --env-file` passes them.
    package static func isQuoted(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        guard scalars.count > 1, let first = scalars.first, first == scalars.last else { return false }
        return first == "\"" || first == "'"
    }

    /// Whether programs that show text leave the character out (Unicode property Default_Ignorable_Code_Point).
    package static func isIgnorable(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isDefaultIgnorableCodePoint
    }

    /// The marks that a copied sentence or header leaves around a value.
    enum Mark {
        /// A quotation mark or a bracket of any script.
        static func isAround(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar.properties.generalCategory {
            case .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation: true
            default: "\"'`<>＂＇＜＞｀".unicodeScalars.contains(scalar)
            }
        }

        static func endsSentence(_ scalar: Unicode.Scalar) -> Bool {
            ".,;:!?…。、，；：．！？｡､،؛؟।".unicodeScalars.contains(scalar)
        }
    }
}
