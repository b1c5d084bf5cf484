import SSOShared

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
