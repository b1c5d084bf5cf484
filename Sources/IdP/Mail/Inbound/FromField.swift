import SSOShared

/// The author of a message.
enum FromField {
    /// The one address of the one From field: `addr`, `Name <addr>` or `"Name" <addr>`, with comments beside them.
    ///
    /// Less than RFC 5322 permits: what one program reads as the address and another as a comment, a name or a second
    /// address, lets a check and the mail server see different senders (CVE-2019-16378; "Composition Kills", USENIX Security
    /// 2020). So a comment has nothing of an address in it, and a name without quotation marks has an `@` only where it is the
    /// address itself. The name is never used. Within quotation marks it may contain anything. Sender is not read at all.
    static func sender(_ message: InboundMessage) throws(ReplyMessageError) -> EmailAddress {
        let values = message.values("from")
        guard let value = values.first else { throw .noFrom }
        guard values.count == 1 else { throw .severalFrom }
        return try parse(value)
    }

    static func parse(_ value: ArraySlice<UInt8>) throws(ReplyMessageError) -> EmailAddress {
        var scanner = FieldScanner(value)
        var name: [UInt8] = []
        var hasQuotedName = false
        while let byte = scanner.next, byte != UInt8(ascii: "<") {
            switch byte {
            case UInt8(ascii: "\""):
                guard scanner.quotedString() != nil else { throw .fromMalformed }
                hasQuotedName = true
            case UInt8(ascii: "("):
                try skipComment(&scanner)
                // What stands before and after it is not one word.
                name.append(0x20)
            case UInt8(ascii: ","): throw .fromList
            case UInt8(ascii: ":"), UInt8(ascii: ";"): throw .fromGroup
            default: name += scanner.take { !"<\"(,:;".utf8.contains($0) }
            }
        }
        guard scanner.take("<") else {
            guard !hasQuotedName else { throw .fromMalformed }
            return try address(name[...].trimmed)
        }
        let inner = scanner.take { $0 != UInt8(ascii: ">") }
        guard scanner.take(">") else { throw .fromMalformed }
        try checkNothingFollows(&scanner)
        let address = try address(inner)
        guard isName(name) || (!hasQuotedName && (try? self.address(name[...].trimmed)) == address) else {
            throw .fromMalformed
        }
        return address
    }

    /// Atoms, encoded words, dots and square brackets. An @ would make a second address: some programs read `Ann @ Home <a@b>`
    /// as `Ann@Home`.
    private static func isName(_ name: [UInt8]) -> Bool {
        name.allSatisfy { $0.isBlank || $0 >= 0x80 || EmailAddress.isAtomText($0) || ".!%[]".utf8.contains($0) }
    }

    private static func checkNothingFollows(_ scanner: inout FieldScanner) throws(ReplyMessageError) {
        while let byte = scanner.next {
            switch byte {
            case UInt8(ascii: ","): throw .fromList
            case UInt8(ascii: ";"): throw .fromGroup
            case UInt8(ascii: "("): try skipComment(&scanner)
            default: guard !scanner.take(while: \.isBlank).isEmpty else { throw .fromMalformed }
            }
        }
    }

    /// Skips a comment with nothing in it that a program could read as an address, also as encoded words (RFC 2047).
    private static func skipComment(_ scanner: inout FieldScanner) throws(ReplyMessageError) {
        guard let comment = scanner.comment(), isHarmless(comment) else { throw .fromComment }
        for word in comment.split(whereSeparator: { $0.isBlank || "()".utf8.contains($0) }) where word.contains("=?") {
            guard let text = encodedWord(word), isHarmless(text[...]) else { throw .fromComment }
        }
    }

    private static func isHarmless(_ text: ArraySlice<UInt8>) -> Bool {
        !text.contains { "@<>,;:\"\\".utf8.contains($0) }
    }

    /// The bytes of `=?utf-8?Q?J=C3=B6rg?=`; nil for anything else.
    private static func encodedWord(_ word: ArraySlice<UInt8>) -> [UInt8]? {
        let parts = word.split(separator: UInt8(ascii: "?"), omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].elementsEqual("=".utf8), parts[4].elementsEqual("=".utf8) else { return nil }
        switch parts[2].lowercasedText {
        case "q": return try? TransferEncoding.quotedPrintable.decode(parts[3])
        case "b": return try? TransferEncoding.base64.decode(parts[3])
        default: return nil
        }
    }

    private static func address(_ bytes: ArraySlice<UInt8>) throws(ReplyMessageError) -> EmailAddress {
        guard !bytes.contains(UInt8(ascii: "(")) else { throw .fromComment }
        // `=?` begins an encoded word, which some programs decode in an address too.
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7f }), !bytes.contains("=?"),
            let address = try? EmailAddress(String(decoding: bytes, as: UTF8.self))
        else { throw .fromMalformed }
        return address
    }
}

/// The addresses in To, Cc and the fields of mail servers.
enum AddressList {
    /// Every address of the field, without names, comments and groups. Empty if the field is malformed.
    static func addresses(_ value: ArraySlice<UInt8>) -> [[UInt8]] {
        var scanner = FieldScanner(value)
        var found: [[UInt8]] = []
        var (bare, inBrackets): ([UInt8], [UInt8]?) = ([], nil)
        func finished() -> [UInt8] { inBrackets ?? Array(bare[...].trimmed) }
        while true {
            guard scanner.skipBlanksAndComments() != nil else { return [] }
            guard let byte = scanner.next else { break }
            switch byte {
            case UInt8(ascii: "\""):
                guard scanner.quotedString() != nil else { return [] }
                // A quoted local part is no address of ours: it makes the text before the @ unusable.
                bare.append(UInt8(ascii: "\""))
            case UInt8(ascii: "<"):
                _ = scanner.take("<")
                inBrackets = Array(scanner.take { $0 != UInt8(ascii: ">") })
                guard scanner.take(">") else { return [] }
            case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: ":"):
                _ = scanner.take { $0 == byte }
                if byte != UInt8(ascii: ":") { found.append(finished()) }
                (bare, inBrackets) = ([], nil)
            default:
                // White space in a bare address makes two words, which are no address.
                if !bare.isEmpty, bare.last != UInt8(ascii: "\"") { bare.append(0x20) }
                bare += scanner.take { !$0.isBlank && !"\"<(,;:".utf8.contains($0) }
            }
        }
        found.append(finished())
        return found
    }
}
