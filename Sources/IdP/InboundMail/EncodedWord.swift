import SSOShared

/// An encoded word of a field: `=?utf-8?Q?J=C3=B6rg?=` (RFC 2047 2).
struct EncodedWord {
    private let charset: ArraySlice<UInt8>
    private let encoding: ArraySlice<UInt8>
    private let content: ArraySlice<UInt8>

    /// All of them, also those with blanks in their text, which some programs write and read; and whether there is the beginning
    /// of one that is none.
    static func all(in field: ArraySlice<UInt8>) -> (words: [EncodedWord], hasBroken: Bool) {
        var (found, hasBroken, rest): ([EncodedWord], Bool, ArraySlice<UInt8>) = ([], false, field)
        while let start = rest.end(of: "=?") {
            rest = rest[start...]
            let parts = rest.split(separator: UInt8(ascii: "?"), maxSplits: 3, omittingEmptySubsequences: false)
            if parts.count == 4, parts[3].first == UInt8(ascii: "=") {
                found.append(EncodedWord(charset: parts[0], encoding: parts[1], content: parts[2]))
                rest = parts[3].dropFirst()
            } else {
                hasBroken = true
            }
        }
        return (found, hasBroken)
    }

    private static let encodings: [String: TransferEncoding] = ["q": .quotedPrintable, "b": .base64]

    /// Its character set. nil for one that is not read, or in which other bytes than those of ASCII stand for an `@`, as in UTF-7:
    /// programs that do not know it read another text.
    var safeCharset: Charset? {
        // RFC 2231 5: `=?utf-8*en?…`.
        let named = Charset(Array(charset.prefix { $0 != UInt8(ascii: "*") }))
        return named?.hasASCII == true ? named : nil
    }

    /// Its text in UTF-8. nil without ``safeCharset``, for another encoding, and for damage.
    var text: [UInt8]? {
        guard let charset = safeCharset, let transfer = Self.encodings[encoding.lowercasedText],
            let bytes = try? transfer.decode(content)
        else { return nil }
        return try? charset.utf8(bytes)
    }
}
