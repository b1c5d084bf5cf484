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
        var (name, comments): ([UInt8], [ArraySlice<UInt8>]) = ([], [])
        var hasQuotedName = false
        while let byte = scanner.next, byte != UInt8(ascii: "<") {
            switch byte {
            case UInt8(ascii: "\""):
                guard scanner.quotedString() != nil else { throw .fromMalformed }
                hasQuotedName = true
            case UInt8(ascii: "("):
                comments.append(try comment(&scanner))
                // What stands before and after it is not one word.
                name.append(0x20)
            case UInt8(ascii: ","): throw .fromList
            case UInt8(ascii: ":"), UInt8(ascii: ";"): throw .fromGroup
            default: name += scanner.take { !"<\"(,:;".utf8.contains($0) }
            }
        }
        guard scanner.take("<") else {
            for comment in comments { try FromComment.check(comment, besideBrackets: false) }
            guard !hasQuotedName else { throw .fromMalformed }
            return try address(name[...].trimmed)
        }
        let inner = scanner.take { $0 != UInt8(ascii: ">") }
        guard scanner.take(">") else { throw .fromMalformed }
        comments += try commentsBehind(&scanner)
        for comment in comments { try FromComment.check(comment, besideBrackets: true) }
        let address = try address(bracketed(inner, hasName: !name.allSatisfy(\.isBlank)))
        guard isName(name) || (!hasQuotedName && (try? self.address(name[...].trimmed)) == address) else {
            throw .fromMalformed
        }
        return address
    }

    /// Without white space at its ends (RFC 5322 3.4.1). Behind a name without quotation marks, `<` and `>` between blanks may
    /// be signs of a text.
    private static func bracketed(_ inner: ArraySlice<UInt8>, hasName: Bool) -> ArraySlice<UInt8> {
        let isApart = inner.first?.isBlank == true && inner.last?.isBlank == true
        return hasName && isApart ? inner : inner.trimmed
    }

    /// Atoms, encoded words, dots and square brackets. An @ would make a second address: some programs read `Ann @ Home <a@b>`
    /// as `Ann@Home`. An encoded word may be damaged and may have an @, if all programs read it in the same bytes.
    private static func isName(_ name: [UInt8]) -> Bool {
        name.allSatisfy { $0.isBlank || $0 >= 0x80 || EmailAddress.isAtomText($0) || ".!%[]".utf8.contains($0) }
            && EncodedWord.all(in: name[...]).words.allSatisfy { $0.safeCharset != nil }
    }

    /// The comments behind the brackets, where nothing else stands.
    private static func commentsBehind(
        _ scanner: inout FieldScanner
    ) throws(ReplyMessageError) -> [ArraySlice<UInt8>] {
        var comments: [ArraySlice<UInt8>] = []
        while let byte = scanner.next {
            switch byte {
            case UInt8(ascii: ","): throw .fromList
            case UInt8(ascii: ";"): throw .fromGroup
            case UInt8(ascii: "("): comments.append(try comment(&scanner))
            default: guard !scanner.take(while: \.isBlank).isEmpty else { throw .fromMalformed }
            }
        }
        return comments
    }

    private static func comment(_ scanner: inout FieldScanner) throws(ReplyMessageError) -> ArraySlice<UInt8> {
        guard let comment = scanner.comment() else { throw .fromComment }
        return comment
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

/// A comment in From, with its parentheses.
enum FromComment {
    /// Refuses one in which a program could read an address, a list or a group, also in its encoded words (RFC 2047).
    ///
    /// - Parameter besideBrackets: whether the address stands in angle brackets. Without them a program that divides the field
    ///   at its commas finds several bare words, so a comma is refused.
    static func check(_ comment: ArraySlice<UInt8>, besideBrackets: Bool) throws(ReplyMessageError) {
        guard isHarmless(comment, besideBrackets) else { throw .fromComment }
        let (words, hasBroken) = EncodedWord.all(in: comment)
        guard !hasBroken else { throw .fromComment }
        for word in words {
            guard let text = word.text, isHarmless(text[...], besideBrackets) else { throw .fromComment }
        }
    }

    private static func isHarmless(_ text: ArraySlice<UInt8>, _ besideBrackets: Bool) -> Bool {
        guard !text.contains(where: { "@<>\\".utf8.contains($0) }) else { return false }
        guard besideBrackets || !text.contains(UInt8(ascii: ",")) else { return false }
        // Each second piece stands in quotation marks: a comment neither begins nor ends there.
        let pieces = text.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
        let quoted = stride(from: 1, to: pieces.count, by: 2).map { pieces[$0] }
        return !pieces.count.isMultiple(of: 2)
            && quoted.allSatisfy { piece in !piece.contains { "()".utf8.contains($0) } }
    }
}
