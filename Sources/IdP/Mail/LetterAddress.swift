/// Why a text is no address that letters go to. The texts can be shown to the person who typed it.
enum LetterAddressFault: Error, Equatable, CustomStringConvertible {
    case empty
    case tooLong
    case notASCII
    case noAt
    case badLocalPart
    case badDomain

    var description: String {
        switch self {
        case .empty: "There is no address."
        case .tooLong: "The address is longer than 254 characters."
        case .notASCII: "The address holds a character that is not plain ASCII, or a blank."
        case .noAt: "An address has one @ between a name and a domain."
        case .badLocalPart: "The part before the @ is not one that letters can go to."
        case .badDomain: "The part after the @ is not a domain name such as example.com."
        }
    }
}

/// An address that a letter may go to, lower-cased: a dot-atom, an @, and a domain of letters, digits and hyphens with a dot in it.
///
/// Far less than RFC 5322 3.4.1 allows, on purpose. Quoted names, comments, routes and address literals have each sent letters to
/// somebody else than the one who was looked up, in one mailer or another. ASCII alone: `ı` and `K` fold to `i` and `k`.
struct LetterAddress: Sendable, Hashable {
    /// RFC 5321 4.5.3.1.3 allows 256 for a path, two of which are its brackets.
    static let longest = 254
    /// RFC 5321 4.5.3.1.1.
    static let longestLocalPart = 64

    /// The whole address. What is stored, compared and sent to.
    let text: String

    /// Takes blanks and tabs off both ends, for people paste, and nothing else.
    init(_ text: String) throws(LetterAddressFault) {
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
        guard HostName.isDomain(parts[1]) else { throw .badDomain }
        self.text = String(decoding: bytes.map(HostName.lowercased), as: UTF8.self)
    }

    /// What budgets of emails count by: the address itself, or one key for all tagged addresses of a mailbox
    /// (`ann+1@example.com`, `ann+2@example.com`; RFC 5233). Apart from the bare address: nobody can use up its budget by
    /// inventing tags, which may not even be allowed to sign in and then send no email.
    var budgetKey: String { mailbox == text ? text : "+\(mailbox)" }

    /// The address without a tag: `ann+news@example.com` is `ann@example.com`.
    var mailbox: String {
        let parts = text.split(separator: "@")
        guard parts.count == 2, let plus = parts[0].firstIndex(of: "+"), plus > parts[0].startIndex else { return text }
        return "\(parts[0][..<plus])@\(parts[1])"
    }

    /// RFC 5322 3.2.3: atoms of `atext`, with single dots between them.
    private static func isDotAtom(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .allSatisfy { atom in !atom.isEmpty && atom.allSatisfy(isAtomText) }
    }

    /// `atext` of RFC 5322 3.2.3 without `%` and `!`: some mail servers still read `a%evil.example@good.example` and
    /// `evil.example!a@good.example` as routes to another domain (RFC 5321 F.2).
    static func isAtomText(_ byte: UInt8) -> Bool {
        HostName.isLetterOrDigit(byte) || "#$&'*+-/=?^_`{|}~".utf8.contains(byte)
    }
}
