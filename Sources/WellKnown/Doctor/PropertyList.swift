public import Foundation

/// A property list: entitlements and provisioning profiles are ones.
///
/// Read here and not by Foundation, which takes minutes and all memory for a binary list of 200 bytes whose arrays name
/// one another (each a list of ten of the next), and reads things that are no property list as one in its old style.
public indirect enum PropertyList: Sendable, Hashable {
    case string(String)
    case bool(Bool)
    /// As written: nothing here computes with numbers.
    case number(String)
    case date(Date)
    case data([UInt8])
    case array([PropertyList])
    case dictionary([String: PropertyList])

    /// More values than any profile has: some thousand devices, some hundred certificates.
    static let maximumValues = 200_000

    /// Reads either form, XML or binary.
    ///
    /// - Throws: ``ProjectFileFault`` for anything else, too deep or too large.
    public init(reading bytes: some Sequence<UInt8>) throws(ProjectFileFault) {
        let bytes = Array(bytes)
        if bytes.starts(with: "bplist0".utf8) {
            self = try BinaryPropertyList.read(bytes)
            return
        }
        let root = try ProjectXMLReader.read(bytes)
        guard root.name == "plist" else {
            throw ProjectFileFault("the root element is <\(root.name)>, not <plist>", at: root.position)
        }
        guard root.children.count == 1 else {
            throw ProjectFileFault("<plist> must hold one value, and holds \(root.children.count)", at: root.position)
        }
        try self.init(root.children[0])
    }

    public var string: String? { if case .string(let text) = self { text } else { nil } }
    public var bool: Bool? { if case .bool(let flag) = self { flag } else { nil } }
    public var date: Date? { if case .date(let date) = self { date } else { nil } }
    public var array: [PropertyList]? { if case .array(let items) = self { items } else { nil } }
    public var dictionary: [String: PropertyList]? { if case .dictionary(let items) = self { items } else { nil } }

    /// A value of a dictionary.
    public subscript(key: String) -> PropertyList? { dictionary?[key] }

    /// The strings of an array; a string alone counts as a list of one, as Apple's tools have it.
    public var strings: [String]? { string.map { [$0] } ?? array?.compactMap(\.string) }

    private init(_ element: ProjectXMLElement) throws(ProjectFileFault) {
        func wrong(_ what: String) -> ProjectFileFault { ProjectFileFault(what, at: element.position) }
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
            var items: [PropertyList] = []
            for child in element.children { items.append(try PropertyList(child)) }
            self = .array(items)
        case "dict":
            var items: [String: PropertyList] = [:]
            guard element.children.count.isMultiple(of: 2) else { throw wrong("a key of <dict> has no value") }
            for index in stride(from: 0, to: element.children.count, by: 2) {
                let (key, value) = (element.children[index], element.children[index + 1])
                guard key.name == "key" else {
                    throw ProjectFileFault("<\(key.name)> stands where a <key> must", at: key.position)
                }
                guard items.updateValue(try PropertyList(value), forKey: key.text) == nil else {
                    throw ProjectFileFault("the key \(key.text) stands there twice", at: key.position)
                }
            }
            self = .dictionary(items)
        default: throw wrong("<\(element.name)> is no value of a property list")
        }
    }

    private static func trimmed(_ text: String) -> String {
        text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
