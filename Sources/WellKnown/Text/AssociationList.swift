/// Reads the comma-separated lists of both settings. Works on bytes, as devices do, because `String` compares by
/// canonical equivalence and treats `"\r\n"` as one character.
enum AssociationList {
    /// Reads all items and reports the errors of all of them.
    ///
    /// - Parameter name: the name of an item. Each item must have a different name.
    /// - Throws: the error, or ``AssociationError/several(_:)``.
    static func read<Item>(
        _ text: String, name: (Item) -> String, _ read: (String) throws(AssociationError) -> Item
    ) throws(AssociationError) -> [Item] {
        var (items, names, faults): ([Item], Set<[UInt8]>, [AssociationError]) = ([], [], [])
        for part in parts(text) {
            do throws(AssociationError) {
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

    /// The items of `text` in order, without white space at their ends. A blank text results in an empty list, because
    /// the setting is then not configured.
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

/// The reason why an app, a route or a whole plan cannot be published.
///
/// Devices reject an invalid file silently: links open the browser and no error is logged. An invalid item is therefore
/// an error when it is read, and is not published.
public enum AssociationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Two commas in a row, or one at an end. An item is probably missing.
    case emptyItem(position: Int)
    /// The item is not an app id of the form `TEAMID.bundle.id`.
    case appleAppID(item: String, reason: String)
    /// The item is not of the form `package=SHA256[;SHA256]`.
    case androidApp(item: String, reason: String)
    /// The same app, or the same fingerprint of one app, is listed twice.
    case duplicate(item: String)

    /// The item is not a path pattern that both systems interpret in the same way.
    case route(item: String, reason: String)
    /// The parts are valid, but not their combination.
    case plan(reason: String)
    indirect case several([AssociationError])

    /// One sentence in one line that names the item and the error.
    public var description: String {
        switch self {
        case .emptyItem(let position): "item \(position) is empty"
        case .appleAppID(let item, let reason):
            "\(Self.quoted(item)) is not an Apple app id (TEAMID.bundle.id): \(reason)"
        case .androidApp(let item, let reason):
            "\(Self.quoted(item)) is not an Android app (package=SHA256[;SHA256]): \(reason)"
        case .duplicate(let item): "\(Self.quoted(item)) is listed twice"
        case .route(let item, let reason): "\(Self.quoted(item)) is not a route: \(reason)"
        case .plan(let reason): reason
        case .several(let faults): faults.map(\.description).joined(separator: "; ")
        }
    }

    /// The item's first 120 characters. Line breaks, look-alike letters and all else but printable ASCII are escaped.
    private static func quoted(_ item: String) -> String {
        let limit = 120
        var text = "\""
        for scalar in item.unicodeScalars.prefix(limit) {
            text += scalar.value >= 0x20 && scalar.value < 0x7f ? String(scalar) : "\\u{\(hex(scalar.value))}"
        }
        return text + (item.unicodeScalars.count > limit ? "…\"" : "\"")
    }

    private static func hex(_ value: UInt32) -> String { String(value, radix: 16, uppercase: true) }
}
