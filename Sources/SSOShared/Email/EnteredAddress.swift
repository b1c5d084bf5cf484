/// Reads an address that a person typed or pasted.
///
/// What it leaves out can be part of no address: invisible characters, white space around it, quotation marks and brackets
/// around it, the end of a sentence, `mailto:`, and the name in `Ann Example <ann@example.com>`. A domain may be written in
/// any script. The part before the @ stays as it is: full-width letters there could be another mailbox (RFC 6531).
enum EnteredAddress {
    /// A character and its place in the written text, from 1.
    typealias Placed = (scalar: Unicode.Scalar, position: Int)

    /// More than any address with a name before it.
    private static let longestText = 4096

    static func read(_ text: String) throws(EmailAddressError) -> EmailAddress {
        guard text.utf8.count <= longestText else { throw .tooLong }
        return try read(bare(placed(text)), mayHaveName: true)
    }

    private static func read(_ text: ArraySlice<Placed>, mayHaveName: Bool) throws(EmailAddressError) -> EmailAddress {
        let text = bare(withoutScheme(text))
        if mayHaveName, let open = text.lastIndex(where: { "<＜".unicodeScalars.contains($0.scalar) }) {
            let address = try read(bare(text[(open + 1)...]), mayHaveName: false)
            // An @ in the name makes a second address, unless both are the same.
            if text[..<open].contains(where: { isAt($0.scalar) }) {
                guard try read(bare(text[..<open]), mayHaveName: false) == address else { throw .severalAts }
            }
            return address
        }
        guard !text.isEmpty else { throw .empty }
        let parts = text.split(omittingEmptySubsequences: false) { isAt($0.scalar) }
        guard parts.count == 2 else { throw parts.count > 2 ? .severalAts : .noAt }
        let local = parts[0].filter { !Entered.isIgnorable($0.scalar) }
        if let odd = local.first(where: { !isLocal($0.scalar) }) {
            throw .character(odd.scalar, position: odd.position)
        }
        return try EmailAddress(string(local[...]) + "@" + domain(parts[1]))
    }

    /// The ASCII form of a domain (``InternationalDomain``).
    static func domain(_ text: ArraySlice<Placed>) throws(EmailAddressError) -> String {
        let seen = text.filter { !Entered.isIgnorable($0.scalar) }
        if let odd = seen.first(where: { !mayBeInDomain($0.scalar) }) {
            throw .character(odd.scalar, position: odd.position)
        }
        // A joiner between letters of some scripts makes another domain (RFC 5892 A.1, A.2). Anywhere else it is dropped.
        let written = [string(text), string(seen[...])].map { $0.withPlainDots }
        if let ascii = written.lazy.compactMap(InternationalDomain.ascii).first {
            try EmailAddress.checkDomain(Array(ascii.utf8)[...], first: 1)
            return ascii
        }
        let plain = written[1]
        try EmailAddress.checkDots(Array(plain.utf8)[...])
        guard plain.utf8.allSatisfy({ $0 < 0x80 }) else { throw .badDomain(.letters) }
        try EmailAddress.checkDomain(Array(plain.utf8)[...], first: 1)
        return plain
    }

    /// The characters of a text, without those that no program shows. Joiners stay, see ``domain(_:)``.
    static func placed(_ text: String) -> ArraySlice<Placed> {
        text.unicodeScalars.enumerated().map { (scalar: $0.element, position: $0.offset + 1) }
            .filter { !Entered.isIgnorable($0.scalar) || isJoiner($0.scalar) }[...]
    }

    /// Without white space and the marks of a copied sentence around it.
    static func bare(_ text: ArraySlice<Placed>) -> ArraySlice<Placed> {
        var (rest, surplus) = (text, 0)
        while let last = rest.last?.scalar {
            if Entered.Mark.isAround(last) {
                surplus += 1
            } else if !isOuter(last) && !Entered.Mark.endsSentence(last) {
                break
            }
            rest.removeLast()
        }
        while let first = rest.first?.scalar {
            // ' ` { are also the first letter of addresses. There they belong to a mark at the end that has no other partner.
            if isOpening(first) || first.isAddressMark && surplus > 0 {
                surplus -= 1
            } else if !isOuter(first) {
                break
            }
            rest.removeFirst()
        }
        return rest
    }

    /// The address of `mailto:ann@example.com?subject=…` (RFC 6068), any other text as it is.
    private static func withoutScheme(_ text: ArraySlice<Placed>) -> ArraySlice<Placed> {
        let scheme = "mailto:"
        guard string(text.prefix(scheme.count)).lowercased() == scheme else { return text }
        let address = text.dropFirst(scheme.count).prefix { $0.scalar != "?" }
        guard address.contains(where: { $0.scalar == "%" }),
            let decoded = PercentCoding.decode(string(address).utf8).flatMap({ String(validating: $0, as: UTF8.self) })
        else { return address }
        return placed(decoded)
    }

    private static func string(_ text: ArraySlice<Placed>) -> String {
        String(String.UnicodeScalarView(text.map(\.scalar)))
    }

    private static func isAt(_ scalar: Unicode.Scalar) -> Bool { "@＠﹫".unicodeScalars.contains(scalar) }

    private static func isJoiner(_ scalar: Unicode.Scalar) -> Bool { scalar.value == 0x200c || scalar.value == 0x200d }

    private static func isOuter(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || Entered.isIgnorable(scalar)
    }

    private static func isOpening(_ scalar: Unicode.Scalar) -> Bool {
        Entered.Mark.isAround(scalar) && !scalar.isAddressMark
    }

    private static func isLocal(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "." || scalar.isASCII && EmailAddress.isAtomText(UInt8(scalar.value))
    }

    /// Nothing that separates a host from the rest of a URL.
    private static func mayBeInDomain(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            let byte = UInt8(scalar.value)
            return byte.isASCIILetter || byte.isASCIIDigit || "-.".utf8.contains(byte)
        }
        return UnseenCharacter.name(scalar) == nil
    }
}

extension Unicode.Scalar {
    /// Whether the mark is also `atext` of RFC 5322 3.2.3.
    fileprivate var isAddressMark: Bool {
        isASCII && Entered.Mark.isAround(self) && EmailAddress.isAtomText(UInt8(value))
    }
}

extension String {
    /// With `.` for the full stops of other scripts (UTS 46, 4).
    fileprivate var withPlainDots: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { "。．｡".unicodeScalars.contains($0) ? "." : $0 }))
    }
}
