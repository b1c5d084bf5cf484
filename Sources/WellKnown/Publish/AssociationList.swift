/// The comma-separated lists both settings use. Works on bytes: `String` compares by canonical equivalence, and takes
/// `"\r\n"` for one character, while phones compare bytes.
enum AssociationList {
    /// Reads every item, and tells all that is wrong with any of them.
    ///
    /// - Parameter name: what no two items may share.
    /// - Throws: the fault, or ``AssociationFault/several(_:)``.
    static func read<Item>(
        _ text: String, name: (Item) -> String, _ read: (String) throws(AssociationFault) -> Item
    ) throws(AssociationFault) -> [Item] {
        var (items, names, faults): ([Item], Set<[UInt8]>, [AssociationFault]) = ([], [], [])
        for part in parts(text) {
            do throws(AssociationFault) {
                guard !part.text.isEmpty else { throw .emptyItem(position: part.position) }
                let item = try read(part.text)
                guard names.insert(Array(name(item).utf8)).inserted else { throw .duplicate(item: name(item)) }
                items.append(item)
            } catch {
                faults.append(error)
            }
        }
        guard let first = faults.first else { return items }
        throw faults.count == 1 ? first : .several(faults)
    }

    /// The items of `text` in their order, each without blanks at its ends. None when all of `text` is blank: the setting
    /// is there but empty, which means "not configured".
    private static func parts(_ text: String) -> [(position: Int, text: String)] {
        if trimmed(Array(text.utf8)).isEmpty { return [] }
        return text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).enumerated().map {
            ($0 + 1, String(decoding: trimmed(Array($1)), as: UTF8.self))
        }
    }

    /// `bytes` without ASCII white space at either end: a list in a YAML or `.env` file is often folded over lines.
    static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        guard let first = bytes.firstIndex(where: { !isBlank($0) }), let last = bytes.lastIndex(where: { !isBlank($0) })
        else { return [] }
        return Array(bytes[first...last])
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
}
