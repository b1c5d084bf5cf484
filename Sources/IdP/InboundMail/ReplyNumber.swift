import SSOShared

/// Finds the number that the author of a reply typed.
enum ReplyNumber {
    static let digits = 4

    /// The number in the first line that has one.
    ///
    /// Exactly four ASCII digits that stand alone: not within a word, a longer number, a date, a time or an amount. A line
    /// with two different ones is rejected, because each wrong number counts as a guess.
    static func find(in lines: [ArraySlice<UInt8>]) throws(ReplyRejection) -> String {
        for line in lines {
            let numbers = Set(numbers(in: line))
            if numbers.count > 1 { throw .severalNumbers }
            if let number = numbers.first { return number }
        }
        throw .noNumber
    }

    private static func numbers(in line: ArraySlice<UInt8>) -> [String] {
        let scalars = Array(String(decoding: line, as: UTF8.self).unicodeScalars)
        var found: [String] = []
        var index = 0
        while index < scalars.count {
            let start = index
            while index < scalars.count, isDigit(scalars[index]) { index += 1 }
            if index - start == digits, !isGlued(scalars[..<start].reversed()), !isGlued(scalars[index...]) {
                found.append(String(String.UnicodeScalarView(scalars[start..<index])))
            }
            if index == start { index += 1 }
        }
        return found
    }

    /// Whether the digits go on in this direction: a letter, a digit of any script, a combining mark (the keycap of an
    /// emoji), or one of `.,-/:` with a digit after it.
    private static func isGlued(_ neighbours: some Collection<Unicode.Scalar>) -> Bool {
        guard let first = neighbours.first else { return false }
        if isWord(first) { return true }
        guard ".,-/:".unicodeScalars.contains(first), let second = neighbours.dropFirst().first else { return false }
        return second.properties.numericType != nil
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
            true
        default: false
        }
    }
}
