import SSOShared

/// A value with parameters, as Content-Type and Content-Disposition have it (RFC 2045 5.1): `text/plain; charset=utf-8`.
///
/// What does not follow the grammar is skipped and says nothing (RFC 2045 5.2). Programs write `;;`, `name=a b.png` and
/// `boundary=a/b`, and no part needs more than its charset, its boundary and whether it has the name of a file.
struct ParameterizedValue {
    /// In lower case: `text/plain` or `attachment`. Empty or without one of its halves if it cannot be read.
    let value: String
    /// Names in lower case, in the order of the field, perhaps repeated.
    private var parameters: [(name: String, value: [UInt8])] = []
    /// Words where parameters stand, without `=`. In lower case.
    private(set) var bareWords: [String] = []
    /// More parameters, words and other bytes are not looked at: each may cost a look at the rest of the field.
    private static let maximumItems = 200

    init(_ field: ArraySlice<UInt8>) {
        var scanner = FieldScanner(field)
        guard scanner.skipBlanksAndComments() != nil else {
            value = ""
            return
        }
        let word = scanner.token().lowercasedText
        value = scanner.take("/") ? word + "/" + scanner.token().lowercasedText : word
        // Behind a comment without its end nothing can be read.
        var items = 0
        while items < Self.maximumItems, scanner.skipBlanksAndComments() != nil, !scanner.isAtEnd {
            items += 1
            if scanner.take(";") { continue }
            let name = scanner.token().lowercasedText
            if name.isEmpty {
                scanner.skipUnreadable()
            } else if scanner.skipBlanksAndComments() != nil, scanner.take("=") {
                guard scanner.skipBlanksAndComments() != nil else { break }
                let isQuoted = scanner.next == UInt8(ascii: "\"")
                let value = scanner.parameter()
                // `charset=` says nothing. `charset=""` is legal and names no character set.
                if isQuoted || !value.isEmpty { parameters.append((name, value)) }
            } else {
                bareWords.append(name)
            }
        }
    }

    /// The values of a parameter, as many as there are; one more if it stands in pieces: `boundary*0=a; boundary*1=b` (RFC 2231
    /// 3).
    func values(_ name: String) -> [[UInt8]] {
        let pieces = (0..<Self.maximumItems).lazy.map { number in named("\(name)*\(number)") }.prefix { $0.count == 1 }
        let joined = pieces.flatMap { $0[0] }
        return named(name) + (joined.isEmpty ? [] : [Array(joined)])
    }

    private func named(_ name: String) -> [[UInt8]] { parameters.filter { $0.name == name }.map(\.value) }

    /// Whether a parameter of this name, also in the forms of RFC 2231 (`name*`, `name*0`), says something.
    func has(_ name: String) -> Bool {
        parameters.contains { ($0.name == name || $0.name.hasPrefix(name + "*")) && !$0.value[...].trimmed.isEmpty }
    }
}

extension FieldScanner {
    /// Takes the value of a parameter: a token, a quoted string, or what stands up to the next blank or semicolon, such as
    /// `ISO_8859-1:1987` and `http://x/`, which should be in quotation marks.
    fileprivate mutating func parameter() -> [UInt8] {
        var legal = self
        if let text = legal.value() {
            var rest = legal
            let isQuoted = next == UInt8(ascii: "\"")
            let isWhole = rest.next?.isBlank == true || (rest.skipBlanksAndComments() != nil && rest.isAtParameterEnd)
            if isQuoted || isWhole {
                self = legal
                return text
            }
        }
        return Array(take { !$0.isBlank && $0 != UInt8(ascii: ";") })
    }

    private var isAtParameterEnd: Bool { isAtEnd || next == UInt8(ascii: ";") }

    /// Skips a quoted string, or one byte that begins no word.
    fileprivate mutating func skipUnreadable() {
        var quoted = self
        if quoted.quotedString() != nil { self = quoted } else { skip() }
    }
}
