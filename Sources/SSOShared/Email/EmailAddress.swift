/// An email address, lower-cased: a dot-atom, an @, and a domain of letters, digits and hyphens with a dot in it.
///
/// Accepts less than RFC 5322 3.4.1. Quoted names, comments, routes and address literals have each made some mail server
/// deliver to another mailbox than the one that was looked up. ASCII only: `ı` and `K` fold to `i` and `k`.
package struct EmailAddress: Sendable, Hashable {
    /// RFC 5321 4.5.3.1.3 allows 256 for a path, two of which are its brackets.
    package static let longest = 254
    /// RFC 5321 4.5.3.1.1.
    package static let longestLocalPart = 64

    /// The whole address, as it is stored, compared and used for sending.
    package let text: String

    /// Reads an address as programs write it. Trims spaces and tabs only. What a person typed or pasted is read by
    /// ``Entered/address(_:)``.
    package init(_ text: String) throws(EmailAddressError) {
        let isBlank: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" }
        let start = Substring(text).unicodeScalars.drop(while: isBlank)
        let scalars = start.dropLast(start.reversed().prefix(while: isBlank).count)
        guard !scalars.isEmpty else { throw .empty }
        let bytes = Array(String(scalars).utf8)
        guard bytes.count <= Self.longest else { throw .tooLong }
        // Scalars, not characters: "\r\n" is one Character, and equal to neither of its halves.
        if let odd = scalars.firstIndex(where: { $0.value <= 0x20 || $0.value >= 0x7f }) {
            let position = text.unicodeScalars.distance(from: text.startIndex, to: odd) + 1
            throw .character(scalars[odd], position: position)
        }
        let parts = bytes.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw parts.count > 2 ? .severalAts : .noAt }
        let first = text.unicodeScalars.distance(from: text.startIndex, to: scalars.startIndex) + 1
        try Self.checkLocalPart(parts[0], first: first)
        try Self.checkDomain(parts[1], first: first + parts[0].count + 1)
        self.text = String(decoding: bytes.map(\.asciiLowercased), as: UTF8.self)
    }

    /// The key for budgets of emails: the address itself, or one key for all tagged addresses of a mailbox
    /// (`ann+1@example.com`, `ann+2@example.com`; RFC 5233). The bare address has a budget
    /// of its own, so invented tags cannot use it up.
    package var budgetKey: String { mailbox == text ? text : "+\(mailbox)" }

    /// The address without a tag: `ann+news@example.com` is `ann@example.com`.
    package var mailbox: String {
        let parts = text.split(separator: "@")
        guard parts.count == 2, let plus = parts[0].firstIndex(of: "+"), plus > parts[0].startIndex else { return text }
        return "\(parts[0][..<plus])@\(parts[1])"
    }

    /// How logs show the address: `a…@example.com`. Enough for an operator to find the one that a user names.
    package var masked: String {
        let parts = text.split(separator: "@")
        guard parts.count == 2, let first = parts[0].first else { return "…" }
        return "\(first)…@\(parts[1])"
    }

    /// The address as people read it: its domain in its own letters (UTS 46). For the user who entered it, because other
    /// domains may look the same.
    package var shown: String {
        let parts = text.split(separator: "@")
        return parts.count == 2 ? "\(parts[0])@\(InternationalDomain.shown(String(parts[1])))" : text
    }

    /// The same for the text of an address. Any other text stays as it is.
    package static func shown(_ text: String) -> String { (try? EmailAddress(text))?.shown ?? text }

    /// RFC 5322 3.2.3: atoms of `atext`, with single dots between them.
    ///
    /// - Parameter first: the position of its first character.
    private static func checkLocalPart(_ bytes: ArraySlice<UInt8>, first: Int) throws(EmailAddressError) {
        let dot = UInt8(ascii: ".")
        guard !bytes.isEmpty else { throw .noAt }
        if let odd = bytes.firstIndex(where: { !isAtomText($0) && $0 != dot }) {
            throw .character(Unicode.Scalar(bytes[odd]), position: first + odd - bytes.startIndex)
        }
        guard bytes.count <= longestLocalPart else { throw .longLocalPart }
        guard bytes.first != dot else { throw .dots(.first) }
        guard bytes.last != dot else { throw .dots(.last) }
        guard !bytes.contains([dot, dot]) else { throw .dots(.twoInARow) }
    }

    /// - Parameter first: the position of its first character.
    static func checkDomain(_ bytes: ArraySlice<UInt8>, first: Int) throws(EmailAddressError) {
        guard !HostPort.isDomain(bytes) else { return }
        guard !bytes.isEmpty else { throw .noAt }
        let (dot, hyphen) = (UInt8(ascii: "."), UInt8(ascii: "-"))
        let isPart: (UInt8) -> Bool = { $0.isASCIILetter || $0.isASCIIDigit || $0 == dot || $0 == hyphen }
        if let odd = bytes.firstIndex(where: { !isPart($0) }) {
            throw .character(Unicode.Scalar(bytes[odd]), position: first + odd - bytes.startIndex)
        }
        try checkDots(bytes)
        let labels = bytes.split(separator: dot)
        guard labels.allSatisfy({ $0.first != hyphen && $0.last != hyphen }) else { throw .badDomain(.hyphen) }
        guard labels.allSatisfy({ $0.count <= 63 }), bytes.count <= 253 else { throw .badDomain(.long) }
        throw .badDomain(bytes.contains(dot) ? .number : .noDot)
    }

    /// Full stops of a domain stand between two parts.
    static func checkDots(_ bytes: ArraySlice<UInt8>) throws(EmailAddressError) {
        let dot = UInt8(ascii: ".")
        guard !bytes.contains([dot, dot]) else { throw .dots(.twoInARow) }
        guard bytes.first != dot else { throw .badDomain(.dotFirst) }
        guard bytes.last != dot else { throw .badDomain(.dotLast) }
    }

    /// `atext` of RFC 5322 3.2.3 without `%` and `!`: some mail servers still read `a%evil.example@good.example` and
    /// `evil.example!a@good.example` as routes to another domain (RFC 5321 F.2).
    package static func isAtomText(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || "#$&'*+-/=?^_`{|}~".utf8.contains(byte)
    }
}
