import SSOShared

/// Reads the compiled XML of an APK.
///
/// Layout: AOSP, `ResourceTypes.h` (ResXMLTree, ResStringPool). Every offset and count is checked against the file.
struct BinaryXML {
    private static let magic: [UInt8] = [0x03, 0x00, 0x08, 0x00]
    private static let maximumElements = 50_000
    private static let maximumDepth = 100

    private let bytes: [UInt8]
    private var strings: [String] = []
    private var resources: [UInt32] = []
    private var prefixes: [String: String] = [:]

    static func isBinary(_ bytes: [UInt8]) -> Bool { bytes.starts(with: magic) }

    /// Reads the root element. Attributes of Android's namespace get the prefix `android`.
    ///
    /// - Throws: ``ProjectFileError`` for a file that is cut off or broken.
    static func read(_ bytes: [UInt8]) throws(ProjectFileError) -> ProjectXMLElement {
        var reader = BinaryXML(bytes: bytes)
        return try reader.document()
    }

    init(bytes: [UInt8]) { self.bytes = bytes }

    private static let broken = ProjectFileError("the compiled XML is broken or cut off")

    private mutating func document() throws(ProjectFileError) -> ProjectXMLElement {
        var offset = Int(try number(2, 2))
        var stack: [ProjectXMLElement] = []
        var count = 0
        while offset + 8 <= bytes.count {
            let (type, header, size) = (
                try number(offset, 2), Int(try number(offset + 2, 2)), Int(try number(offset + 4, 4))
            )
            guard size >= 8, header >= 8, header <= size, size <= bytes.count - offset else { throw Self.broken }
            switch type {
            case 0x0001: strings = try pool(offset, header)
            case 0x0180:
                for place in stride(from: offset + header, to: offset + size - 3, by: 4) {
                    resources.append(UInt32(try number(place, 4)))
                }
            case 0x0100:
                let uri = try string(offset + header + 4)
                prefixes[uri] = uri == AndroidManifest.namespace ? "android" : try string(offset + header)
            case 0x0102:
                count += 1
                guard count <= Self.maximumElements, stack.count < Self.maximumDepth else { throw Self.broken }
                stack.append(try element(offset, header))
            case 0x0103:
                guard let done = stack.popLast() else { throw Self.broken }
                guard !stack.isEmpty else { return done }
                stack[stack.count - 1].children.append(done)
            default: break
            }
            offset += size
        }
        throw Self.broken
    }

    private func element(_ offset: Int, _ header: Int) throws(ProjectFileError) -> ProjectXMLElement {
        let body = offset + header
        let name = try string(body + 4)
        let (start, size, count) = (
            Int(try number(body + 8, 2)), Int(try number(body + 10, 2)), Int(try number(body + 12, 2))
        )
        guard count == 0 || size >= 20 else { throw Self.broken }
        var attributes: [(name: String, value: String)] = []
        for index in 0..<count {
            let place = body + start + index * size
            attributes.append((try attributeName(place), try attributeValue(place)))
        }
        let line = Int(try number(offset + 8, 4))
        return ProjectXMLElement(
            name: name, attributes: attributes, position: SourcePosition(line: max(line, 1), column: 1))
    }

    private func attributeName(_ place: Int) throws(ProjectFileError) -> String {
        let index = Int(try number(place + 4, 4))
        var name = strings.indices.contains(index) ? strings[index] : ""
        var uri = try optionalString(place)
        // A shrinker may remove the names. The number of the attribute stays.
        if resources.indices.contains(index), let known = Self.names[resources[index]] {
            if name.isEmpty { name = known }
            uri = uri ?? AndroidManifest.namespace
        }
        guard let uri, !uri.isEmpty else { return name }
        return "\(prefixes[uri] ?? (uri == AndroidManifest.namespace ? "android" : "ns")):\(name)"
    }

    private func attributeValue(_ place: Int) throws(ProjectFileError) -> String {
        if let raw = try optionalString(place + 8) { return raw }
        return text(try number(place + 15, 1), try number(place + 16, 4), strings) ?? ""
    }

    /// A simple value in words. `nil` for another type.
    func text(_ type: UInt64, _ data: UInt64, _ strings: [String]) -> String? {
        switch type {
        case 0x03: return strings.indices.contains(Int(data)) ? strings[Int(data)] : ""
        case 0x12: return data == 0 ? "false" : "true"
        case 0x01, 0x07: return "@resource/0x" + String(data, radix: 16)
        case 0x02, 0x08: return "?resource/0x" + String(data, radix: 16)
        case 0x10, 0x11: return String(Int32(truncatingIfNeeded: data))
        default: return nil
        }
    }

    /// Attributes that matter for links. Source: AOSP, `public-final.xml`.
    private static let names: [UInt32: String] = [
        0x0101_0003: "name", 0x0101_000e: "enabled", 0x0101_0010: "exported", 0x0101_0026: "mimeType",
        0x0101_0027: "scheme", 0x0101_0028: "host", 0x0101_0029: "port", 0x0101_002a: "path", 0x0101_002b: "pathPrefix",
        0x0101_002c: "pathPattern", 0x0101_020c: "minSdkVersion", 0x0101_0270: "targetSdkVersion",
        0x0101_04ee: "autoVerify",
    ]

    func pool(_ offset: Int, _ header: Int) throws(ProjectFileError) -> [String] {
        let count = Int(try number(offset + 8, 4))
        let isUTF8 = try number(offset + 16, 4) & 0x100 != 0
        let start = offset + Int(try number(offset + 20, 4))
        guard count <= bytes.count / 4 else { throw Self.broken }
        var strings: [String] = []
        for index in 0..<count {
            let place = start + Int(try number(offset + header + index * 4, 4))
            strings.append(isUTF8 ? try text8(place) : try text16(place))
        }
        return strings
    }

    private func text8(_ place: Int) throws(ProjectFileError) -> String {
        var place = place
        // The number of characters, and then the number of bytes. Each has one or two bytes.
        place += try number(place, 1) & 0x80 == 0 ? 1 : 2
        var count = Int(try number(place, 1))
        if count & 0x80 != 0 {
            count = (count & 0x7f) << 8 | Int(try number(place + 1, 1))
            place += 1
        }
        place += 1
        guard place >= 0, count <= bytes.count - place else { throw Self.broken }
        return String(decoding: bytes[place..<place + count], as: UTF8.self)
    }

    private func text16(_ place: Int) throws(ProjectFileError) -> String {
        var place = place
        var count = Int(try number(place, 2))
        if count & 0x8000 != 0 {
            count = (count & 0x7fff) << 16 | Int(try number(place + 2, 2))
            place += 2
        }
        place += 2
        guard place >= 0, count <= (bytes.count - place) / 2 else { throw Self.broken }
        let units = (0..<count).map { UInt16(bytes[place + 2 * $0]) | UInt16(bytes[place + 2 * $0 + 1]) << 8 }
        return String(decoding: units, as: UTF16.self)
    }

    private func string(_ place: Int) throws(ProjectFileError) -> String { try optionalString(place) ?? "" }

    private func optionalString(_ place: Int) throws(ProjectFileError) -> String? {
        let index = Int(try number(place, 4))
        return strings.indices.contains(index) ? strings[index] : nil
    }

    func number(_ place: Int, _ count: Int) throws(ProjectFileError) -> UInt64 {
        guard place >= 0, place <= bytes.count - count else { throw Self.broken }
        return (0..<count).reduce(0) { $0 | UInt64(bytes[place + $1]) << UInt64(8 * $1) }
    }
}
