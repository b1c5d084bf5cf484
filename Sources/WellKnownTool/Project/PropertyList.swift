import Foundation
import WellKnown

/// A property list, the format of entitlements and provisioning profiles.
///
/// Foundation's `PropertyListSerialization` is not used because it has no limit on expansion: in a binary list of 200
/// bytes, arrays that each refer ten times to the next array take minutes and exhaust the memory. It also accepts other
/// texts as lists in its old style.
indirect enum PropertyList: Sendable, Hashable {
    case string(String)
    case bool(Bool)
    /// The digits of the number as written.
    case number(String)
    case date(Date)
    case data([UInt8])
    case array([PropertyList])
    case dictionary([String: PropertyList])

    /// The maximum number of values. It is higher than in any profile.
    static let maximumValues = 200_000

    /// Reads either form, XML or binary.
    ///
    /// - Throws: ``ProjectFileError`` if the bytes are another format, or the list is too deep or too large.
    init(reading bytes: some Sequence<UInt8>) throws(ProjectFileError) {
        let bytes = Array(bytes)
        if bytes.starts(with: "bplist0".utf8) {
            self = try BinaryPropertyList.read(bytes)
            return
        }
        let root = try ProjectXMLReader.read(bytes)
        guard root.name == "plist" else {
            throw ProjectFileError("the root element is <\(root.name)>, not <plist>", at: root.position)
        }
        guard root.children.count == 1 else {
            throw ProjectFileError("<plist> must hold one value, and holds \(root.children.count)", at: root.position)
        }
        try self.init(root.children[0])
    }

    var string: String? { if case .string(let text) = self { text } else { nil } }
    var bool: Bool? { if case .bool(let flag) = self { flag } else { nil } }
    var date: Date? { if case .date(let date) = self { date } else { nil } }
    var array: [PropertyList]? { if case .array(let items) = self { items } else { nil } }
    var dictionary: [String: PropertyList]? { if case .dictionary(let items) = self { items } else { nil } }

    /// A value of a dictionary.
    subscript(key: String) -> PropertyList? { dictionary?[key] }

    /// The strings of an array. A single string counts as a list of one, as in Apple's tools.
    var strings: [String]? { string.map { [$0] } ?? array?.compactMap(\.string) }

    private init(_ element: ProjectXMLElement) throws(ProjectFileError) {
        func wrong(_ what: String) -> ProjectFileError { ProjectFileError(what, at: element.position) }
        switch element.name {
        case "string": self = .string(element.text)
        case "true": self = .bool(true)
        case "false": self = .bool(false)
        case "integer", "real": self = .number(Self.trimmed(element.text))
        case "date":
            guard let date = try? Date(Self.trimmed(element.text), strategy: .iso8601) else {
                throw wrong("<date> holds no date like 2026-01-31T12:00:00Z")
            }
            self = .date(date)
        case "data":
            let digits = element.text.utf8.filter { $0 > 0x20 }
            guard let data = Data(base64Encoded: Data(digits)) else { throw wrong("<data> is not base64") }
            self = .data(Array(data))
        case "array":
            self = .array(try element.children.map { child throws(ProjectFileError) in try PropertyList(child) })
        case "dict":
            var items: [String: PropertyList] = [:]
            guard element.children.count.isMultiple(of: 2) else { throw wrong("a key of <dict> has no value") }
            for index in stride(from: 0, to: element.children.count, by: 2) {
                let (key, value) = (element.children[index], element.children[index + 1])
                guard key.name == "key" else {
                    throw ProjectFileError("<\(key.name)> is where a <key> must be", at: key.position)
                }
                guard items.updateValue(try PropertyList(value), forKey: key.text) == nil else {
                    throw ProjectFileError("the key \(key.text) appears twice", at: key.position)
                }
            }
            self = .dictionary(items)
        default: throw wrong("<\(element.name)> is not a value of a property list")
        }
    }

    private static func trimmed(_ text: String) -> String { text.trimmingCharacters(in: .whitespacesAndNewlines) }
}

/// Reads the binary form of a property list, version 00.
///
/// Objects refer to each other by number, so a small file can expand to a huge one or contain itself. The reader
/// therefore limits the number of values and the depth. Layout: CFBinaryPList.c (swift-corelibs-foundation).
struct BinaryPropertyList {
    private static let maximumDepth = 100

    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let objects: Int
    private let table: Int
    private var valuesLeft = PropertyList.maximumValues
    /// The remaining budget for text and data in the result. Several references can share one object.
    private var bytesLeft = 32 << 20

    static func read(_ bytes: [UInt8]) throws(ProjectFileError) -> PropertyList {
        var reader = try BinaryPropertyList(bytes)
        let root = try reader.number(bytes.count - 16, 8)
        return try reader.object(root, depth: 1)
    }

    private init(_ bytes: [UInt8]) throws(ProjectFileError) {
        let trailer = bytes.count - 32
        guard trailer >= 8 else { throw ProjectFileError("the binary property list is cut off") }
        self.bytes = bytes
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize) else { throw Self.broken }
        let sizes = bytes[(trailer + 8)...]
        let count = Self.bigEndian(sizes.prefix(8))
        let start = Self.bigEndian(sizes.dropFirst(16).prefix(8))
        guard start <= UInt64(trailer), count <= (UInt64(trailer) - start) / UInt64(offsetSize) else {
            throw Self.broken
        }
        objects = Int(count)
        table = Int(start)
    }

    private static let broken = ProjectFileError("the binary property list is broken")

    private static func bigEndian(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    private func number(_ offset: Int, _ count: Int) throws(ProjectFileError) -> Int {
        guard offset >= 0, count >= 0, count <= 8, offset <= bytes.count - count,
            let number = Int(exactly: Self.bigEndian(bytes[offset..<(offset + count)]))
        else { throw Self.broken }
        return number
    }

    private mutating func object(_ index: Int, depth: Int) throws(ProjectFileError) -> PropertyList {
        guard index < objects else { throw Self.broken }
        guard depth <= Self.maximumDepth else {
            throw ProjectFileError(
                "the binary property list is nested deeper than \(Self.maximumDepth), or holds itself")
        }
        valuesLeft -= 1
        guard valuesLeft >= 0 else { throw ProjectFileError("the binary property list unfolds into too many values") }
        let start = try number(table + index * offsetSize, offsetSize)
        let marker = try number(start, 1)
        let low = marker & 0x0f
        switch marker >> 4 {
        case 0x0:
            guard low == 8 || low == 9 else { throw Self.broken }
            return .bool(low == 9)
        case 0x1: return .number(try integer(start, low))
        case 0x2:
            guard low == 2 || low == 3 else { throw Self.broken }
            return .number(
                low == 2
                    ? String(Float(bitPattern: UInt32(try bits(start + 1, 4))))
                    : String(Double(bitPattern: try bits(start + 1, 8))))
        case 0x3: return .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: try bits(start + 1, 8))))
        case 0x4: return .data(Array(try content(start, low, width: 1)))
        case 0x5: return .string(String(decoding: try content(start, low, width: 1), as: UTF8.self))
        case 0x6: return .string(wide(try content(start, low, width: 2)))
        case 0xa:
            let references = try references(start, low, lists: 1)
            return .array(try references.map { index throws(ProjectFileError) in try object(index, depth: depth + 1) })
        case 0xd: return .dictionary(try dictionary(of: try references(start, low, lists: 2), depth: depth))
        default: throw ProjectFileError("the binary property list holds a value of an unknown kind")
        }
    }

    private func integer(_ start: Int, _ low: Int) throws(ProjectFileError) -> String {
        guard low <= 3 else { throw ProjectFileError("the binary property list holds a number that is too large") }
        guard start + 1 + (1 << low) <= bytes.count else { throw Self.broken }
        let value = Self.bigEndian(bytes[(start + 1)..<(start + 1 + (1 << low))])
        return low == 3 ? String(Int64(bitPattern: value)) : String(value)
    }

    /// - Parameter references: all keys, and then all values.
    private mutating func dictionary(
        of references: [Int], depth: Int
    ) throws(ProjectFileError) -> [String: PropertyList] {
        var items: [String: PropertyList] = [:]
        for position in 0..<(references.count / 2) {
            guard let key = try object(references[position], depth: depth + 1).string else { throw Self.broken }
            items[key] = try object(references[position + references.count / 2], depth: depth + 1)
        }
        return items
    }

    private func bits(_ offset: Int, _ count: Int) throws(ProjectFileError) -> UInt64 {
        guard offset <= table - count else { throw Self.broken }
        return Self.bigEndian(bytes[offset..<(offset + count)])
    }

    /// Returns the number of elements and the offset of the first.
    private func count(_ start: Int, _ low: Int) throws(ProjectFileError) -> (count: Int, first: Int) {
        guard low == 15 else { return (low, start + 1) }
        let marker = try number(start + 1, 1)
        guard marker >> 4 == 1, marker & 15 <= 3 else { throw Self.broken }
        let size = 1 << (marker & 15)
        return (try number(start + 2, size), start + 2 + size)
    }

    private mutating func content(_ start: Int, _ low: Int, width: Int) throws(ProjectFileError) -> ArraySlice<UInt8> {
        let (count, first) = try count(start, low)
        guard first <= table, count <= (table - first) / width else { throw Self.broken }
        bytesLeft -= count * width
        guard bytesLeft >= 0 else { throw ProjectFileError("the binary property list unfolds into too many values") }
        return bytes[first..<(first + count * width)]
    }

    private func references(_ start: Int, _ low: Int, lists: Int) throws(ProjectFileError) -> [Int] {
        let (count, first) = try count(start, low)
        guard first <= table, count <= (table - first) / (referenceSize * lists), count <= valuesLeft else {
            throw Self.broken
        }
        return try (0..<(count * lists)).map { index throws(ProjectFileError) in
            try number(first + index * referenceSize, referenceSize)
        }
    }

    private func wide(_ bytes: ArraySlice<UInt8>) -> String {
        let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).map { index in
            UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])
        }
        return String(decoding: units, as: UTF16.self)
    }
}
