import SSOShared

/// Finds the number that the author of a reply typed.
package enum ReplyNumber {
    package static let digits = 4

    /// The number in the first line that has nothing else, or else in the first line that has one: some companies add a line
    /// above each message, such as "Classification: Internal 2026".
    ///
    /// Exactly four digits of any script that stand alone: not within a word, a longer number, a date, a time or an amount. A line
    /// with two different ones is rejected, because each wrong number counts as a guess.
    static func find(in lines: [ArraySlice<UInt8>]) throws(ReplyMessageError) -> String {
        if let number = lines.lazy.compactMap(alone).first { return number }
        for line in lines {
            let numbers = Set(numbers(in: line))
            if numbers.count > 1 { throw .severalNumbers }
            if let number = numbers.first { return number }
        }
        throw .noNumber
    }

    /// The number of a line that has nothing else but blanks and punctuation around it. Blanks between its digits are ignored,
    /// as in the form for codes: with four digits in the whole line `12 34` cannot be two numbers.
    private static func alone(in line: ArraySlice<UInt8>) -> String? {
        let scalars = seen(in: line)
        let isAround: (Unicode.Scalar) -> Bool = { isBlank($0) || isPunctuation($0) }
        let core = scalars.drop(while: isAround).reversed().drop(while: isAround).reversed()
        let found = core.filter { !isBlank($0) }
        return found.count == digits && found.allSatisfy(isDigit) ? text(of: found) : nil
    }

    /// A space of any width. A tab separates two cells of a table.
    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .spaceSeparator
    }

    private static func isPunctuation(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
            .finalPunctuation, .otherPunctuation:
            true
        default: false
        }
    }

    private static func numbers(in line: ArraySlice<UInt8>) -> [String] {
        let scalars = seen(in: line)
        var found: [String] = []
        var index = 0
        while index < scalars.count {
            let start = index
            while index < scalars.count, isDigit(scalars[index]) { index += 1 }
            if index - start == digits, !isGlued(scalars[..<start].reversed()), !isGlued(scalars[index...]) {
                found.append(text(of: scalars[start..<index]))
            }
            if index == start { index += 1 }
        }
        return found
    }

    /// Whether the digits go on in this direction: a letter, a digit of any script, a combining mark (the keycap of an
    /// emoji), bytes that had no meaning, or one of `.,-/:` with a digit after it.
    private static func isGlued(_ neighbours: some Collection<Unicode.Scalar>) -> Bool {
        guard let first = neighbours.first else { return false }
        if isWord(first) || first == "\u{fffd}" { return true }
        guard ".,-/:".unicodeScalars.contains(first), let second = neighbours.dropFirst().first else { return false }
        return second.properties.numericType != nil
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { Entered.digit(scalar) != nil }

    /// The digits by their values: `0` to `9`.
    private static func text(of digits: some Sequence<Unicode.Scalar>) -> String {
        digits.compactMap(Entered.digit).map(String.init).joined()
    }

    /// The characters of a line, without those that no program shows.
    private static func seen(in line: ArraySlice<UInt8>) -> [Unicode.Scalar] {
        String(decoding: line, as: UTF8.self).unicodeScalars.filter { !Entered.isIgnorable($0) }
    }

    private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
            true
        default: false
        }
    }
}
