/// The comma-separated lists both settings use. Works on bytes: `String` compares by canonical equivalence, and takes
/// `"\r\n"` for one character, while phones compare bytes.
enum AssociationList {
    /// The items of `text` in their order, each without blanks at its ends.
    ///
    /// - Returns: Nothing when `text` is blank: the setting is there but empty, which means "not configured".
    /// - Throws: ``AssociationFault/emptyItem(position:)`` for an item without content beside others.
    static func items(_ text: String) throws(AssociationFault) -> [String] {
        if trimmed(Array(text.utf8)).isEmpty { return [] }
        var items: [String] = []
        for part in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let item = trimmed(Array(part))
            guard !item.isEmpty else { throw .emptyItem(position: items.count + 1) }
            items.append(String(decoding: item, as: UTF8.self))
        }
        return items
    }

    /// `bytes` without ASCII white space at either end: a list in a YAML or `.env` file is often folded over lines.
    static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        guard let first = bytes.firstIndex(where: { !isBlank($0) }), let last = bytes.lastIndex(where: { !isBlank($0) })
        else { return [] }
        return Array(bytes[first...last])
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
}

extension UInt8 {
    var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
    var isASCIIUpper: Bool { (0x41...0x5a).contains(self) }
    var isASCIILower: Bool { (0x61...0x7a).contains(self) }
    var isASCIILetter: Bool { isASCIIUpper || isASCIILower }
}
