/// Why a text is not an email address. The descriptions may be shown to the user who typed it.
package enum EmailAddressError: Error, Equatable, CustomStringConvertible {
    case empty
    case tooLong
    case notASCII
    case noAt
    case badLocalPart
    case badDomain

    package var description: String {
        switch self {
        case .empty: "The address is empty."
        case .tooLong: "The address is longer than 254 characters."
        case .notASCII: "The address has a space, or a character that is not plain ASCII."
        case .noAt: "An address has one @ between a name and a domain."
        case .badLocalPart: "The part before the @ is not valid."
        case .badDomain: "The part after the @ is not a domain name such as example.com."
        }
    }
}

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

    /// Trims spaces and tabs only: users paste.
    package init(_ text: String) throws(EmailAddressError) {
        var bytes = Array(text.utf8)[...]
        while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
        while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
        guard !bytes.isEmpty else { throw .empty }
        guard bytes.count <= Self.longest else { throw .tooLong }
        // Bytes, not characters: "\r\n" is one Character, and equal to neither of its halves.
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { throw .notASCII }
        let parts = bytes.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw .noAt }
        guard parts[0].count <= Self.longestLocalPart, Self.isDotAtom(parts[0]) else { throw .badLocalPart }
        guard HostPort.isDomain(parts[1]) else { throw .badDomain }
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

    /// RFC 5322 3.2.3: atoms of `atext`, with single dots between them.
    private static func isDotAtom(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .allSatisfy { atom in !atom.isEmpty && atom.allSatisfy(isAtomText) }
    }

    /// `atext` of RFC 5322 3.2.3 without `%` and `!`: some mail servers still read `a%evil.example@good.example` and
    /// `evil.example!a@good.example` as routes to another domain (RFC 5321 F.2).
    package static func isAtomText(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || "#$&'*+-/=?^_`{|}~".utf8.contains(byte)
    }
}
