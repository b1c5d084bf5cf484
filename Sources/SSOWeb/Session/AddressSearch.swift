import SSOShared

/// Finds an address in values that others have written: typed, sent by a client, or part of a URL in one of them.
///
/// Only the whole address counts: `bob@example.com` is neither in `jimbob@example.com` nor in `bob@example.com.au`.
struct AddressSearch {
    /// How often a text is percent-decoded: as a field of a URL that is a field of another one.
    private static let maximumDecodings = 3
    /// Levels of JSON in texts of JSON. Others choose the text, and each level is another call.
    private static let maximumNesting = 3

    private let address: [UInt8]

    init(_ address: String) { self.address = address.utf8.map(\.asciiLowercased) }

    func finds(in node: JSONNode, nesting: Int = 0) -> Bool {
        switch node.value {
        case .string(let text): finds(in: text, nesting)
        case .array(let items): items.contains { finds(in: $0, nesting: nesting) }
        case .object(let members):
            members.contains { finds(in: $0.key, nesting) || finds(in: $0.value, nesting: nesting) }
        case .null, .bool, .number: false
        }
    }

    private func finds(in text: String, _ nesting: Int) -> Bool {
        // A form that waits is stored as the text of a JSON object, in which `\n` would look like a letter before the address.
        if nesting < Self.maximumNesting, text.utf8.first == UInt8(ascii: "{"),
            let node = try? JSONReader.readStrictly(Array(text.utf8))
        {
            return finds(in: node, nesting: nesting + 1)
        }
        var bytes = text.utf8.map(\.asciiLowercased)
        for _ in 0..<Self.maximumDecodings {
            if isWhole(in: bytes) { return true }
            let decoded = PercentCoding.decodeLeniently(bytes[...]).map(\.asciiLowercased)
            guard decoded.count < bytes.count else { return false }
            bytes = decoded
        }
        return isWhole(in: bytes)
    }

    private func isWhole(in bytes: [UInt8]) -> Bool {
        guard let first = address.first, bytes.count >= address.count else { return false }
        for start in 0...(bytes.count - address.count) where bytes[start] == first {
            let end = start + address.count
            guard bytes[start..<end].elementsEqual(address) else { continue }
            let before = start > 0 ? bytes[start - 1] : nil
            if before.map(Self.isOfLocalPart) != true, !Self.goesOn(bytes[end...]) { return true }
        }
        return false
    }

    /// Whether a byte before an address belongs to it: atext and the dot (RFC 5322 3.2.3), without what separates the fields of a
    /// URL and of a template.
    private static func isOfLocalPart(_ byte: UInt8) -> Bool {
        isOfWord(byte) || ".-_+'!$*^~".utf8.contains(byte)
    }

    /// Whether the domain goes on after an address. A dot alone ends a sentence.
    private static func goesOn(_ rest: ArraySlice<UInt8>) -> Bool {
        guard let next = rest.first else { return false }
        guard next == UInt8(ascii: ".") else { return isOfWord(next) || "-_".utf8.contains(next) }
        return rest.dropFirst().first.map(isOfWord) ?? false
    }

    private static func isOfWord(_ byte: UInt8) -> Bool { byte.isASCIILetter || byte.isASCIIDigit || byte >= 0x80 }
}
