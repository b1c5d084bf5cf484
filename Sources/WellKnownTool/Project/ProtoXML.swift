import SSOShared

/// Reads the XML of an Android App Bundle, which is a Protocol Buffers message.
///
/// Layout: AOSP, `Resources.proto` (aapt.pb.XmlNode, XmlElement, XmlAttribute); Protocol Buffers, "Encoding".
struct ProtoXML {
    private static let maximumElements = 50_000
    private static let maximumDepth = 100

    private let bytes: [UInt8]
    private var elements = 0

    /// - Throws: ``ProjectFileError`` for a message that is cut off or broken.
    static func read(_ bytes: [UInt8]) throws(ProjectFileError) -> ProjectXMLElement {
        var reader = ProtoXML(bytes: bytes)
        guard let root = try reader.node(0..<bytes.count, depth: 1) else {
            throw ProjectFileError("the bundle's manifest has no element")
        }
        return root
    }

    init(bytes: [UInt8]) { self.bytes = bytes }

    private static let broken = ProjectFileError("the bundle's manifest is broken or cut off")

    private enum Value {
        case number(UInt64)
        case range(Range<Int>)
    }

    /// XmlNode: element = 1, text = 2, source = 3 (line_number = 1).
    private mutating func node(_ range: Range<Int>, depth: Int) throws(ProjectFileError) -> ProjectXMLElement? {
        var line = 1
        var body: Range<Int>?
        for (field, value) in try fields(range) {
            guard case .range(let range) = value else { continue }
            if field == 1 { body = range }
            guard field == 3 else { continue }
            for case (1, .number(let number)) in try fields(range) { line = Int(clamping: number) }
        }
        guard let body else { return nil }
        elements += 1
        guard depth <= Self.maximumDepth, elements <= Self.maximumElements else { throw Self.broken }
        // XmlElement: namespace_uri = 2, name = 3, attribute = 4, child = 5.
        var name = ""
        var attributes: [(name: String, value: String)] = []
        var children: [ProjectXMLElement] = []
        for (field, value) in try fields(body) {
            guard case .range(let range) = value else { continue }
            switch field {
            case 3: name = text(range)
            case 4: attributes.append(try attribute(range))
            case 5: if let child = try node(range, depth: depth + 1) { children.append(child) }
            default: break
            }
        }
        return ProjectXMLElement(
            name: name, attributes: attributes, children: children,
            position: SourcePosition(line: max(line, 1), column: 1))
    }

    /// XmlAttribute: namespace_uri = 1, name = 2, value = 3, compiled_item = 6.
    private func attribute(_ range: Range<Int>) throws(ProjectFileError) -> (name: String, value: String) {
        var (uri, name, value) = ("", "", "")
        var compiled: Range<Int>?
        for (field, item) in try fields(range) {
            guard case .range(let range) = item else { continue }
            switch field {
            case 1: uri = text(range)
            case 2: name = text(range)
            case 3: value = text(range)
            case 6: compiled = range
            default: break
            }
        }
        if value.isEmpty, let compiled { value = try item(compiled) }
        return (uri == AndroidManifest.namespace ? "android:\(name)" : name, value)
    }

    /// Item: ref = 1 (Reference: id = 2), str = 2 (String: value = 1), prim = 7 (Primitive: int = 6, hex = 7, boolean = 8).
    func item(_ range: Range<Int>) throws(ProjectFileError) -> String {
        for (field, value) in try fields(range) {
            guard case .range(let range) = value else { continue }
            for (inner, value) in try fields(range) {
                switch (field, inner, value) {
                case (2, 1, .range(let range)): return text(range)
                case (1, 2, .number(let id)): return "@resource/0x" + String(id, radix: 16)
                case (7, 8, .number(let flag)): return flag == 0 ? "false" : "true"
                case (7, 6, .number(let number)), (7, 7, .number(let number)):
                    return String(Int32(truncatingIfNeeded: number))
                default: continue
                }
            }
            // A false boolean is the default value, which is not written.
            if field == 7 { return "false" }
        }
        return ""
    }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// The messages and texts of one field.
    func parts(_ range: Range<Int>, _ wanted: Int) throws(ProjectFileError) -> [Range<Int>] {
        try fields(range).compactMap { field, value in
            guard field == wanted, case .range(let range) = value else { return nil }
            return range
        }
    }

    /// The number in field 1 of the message in field 1. Zero is the default value, which is not written.
    func identifier(_ range: Range<Int>) throws(ProjectFileError) -> UInt64 {
        guard let inner = try parts(range, 1).first else { return 0 }
        for case (1, .number(let number)) in try fields(inner) { return number }
        return 0
    }

    private func fields(_ range: Range<Int>) throws(ProjectFileError) -> [(Int, Value)] {
        var fields: [(Int, Value)] = []
        var offset = range.lowerBound
        while offset < range.upperBound {
            let tag = try varint(&offset, range.upperBound)
            let field = Int(clamping: tag >> 3)
            switch tag & 7 {
            case 0: fields.append((field, .number(try varint(&offset, range.upperBound))))
            case 2:
                let count = Int(clamping: try varint(&offset, range.upperBound))
                guard count <= range.upperBound - offset else { throw Self.broken }
                fields.append((field, .range(offset..<offset + count)))
                offset += count
            case 1 where range.upperBound - offset >= 8: offset += 8
            case 5 where range.upperBound - offset >= 4: offset += 4
            default: throw Self.broken
            }
        }
        return fields
    }

    private func varint(_ offset: inout Int, _ end: Int) throws(ProjectFileError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: 0, to: 70, by: 7) {
            guard offset < end else { throw Self.broken }
            let byte = bytes[offset]
            offset += 1
            if shift < 64 { value |= UInt64(byte & 0x7f) << UInt64(shift) }
            if byte & 0x80 == 0 { return value }
        }
        throw Self.broken
    }
}
