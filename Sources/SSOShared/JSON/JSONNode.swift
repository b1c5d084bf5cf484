/// A JSON value and its place in the text.
public struct JSONNode: Sendable {
    /// Members of an object keep the order of the file, duplicates included.
    public enum Value: Sendable {
        case null
        case bool(Bool)
        /// The digits as written.
        case number(String)
        case string(String)
        case array([JSONNode])
        case object([JSONMember])
    }

    public let value: Value
    /// The bytes of ``JSONDocument/text`` that the value occupies.
    public let range: Range<Int>

    public init(_ value: Value, range: Range<Int> = 0..<0) {
        self.value = value
        self.range = range
    }
}

/// A key and its value in an object.
public struct JSONMember: Sendable {
    public let key: String
    /// The bytes of ``JSONDocument/text`` that the key occupies, with its quotes.
    public let keyRange: Range<Int>
    public let value: JSONNode

    public init(key: String, keyRange: Range<Int> = 0..<0, value: JSONNode) {
        self.key = key
        self.keyRange = keyRange
        self.value = value
    }
}

extension JSONNode {
    public var string: String? { if case .string(let text) = value { text } else { nil } }
    public var bool: Bool? { if case .bool(let flag) = value { flag } else { nil } }
    public var array: [JSONNode]? { if case .array(let items) = value { items } else { nil } }
    public var object: [JSONMember]? { if case .object(let members) = value { members } else { nil } }

    /// The number as an integer, if it is written as one and fits. `1.0` and `1e3` give `nil`.
    public var integer: Int? { if case .number(let digits) = value { Int(digits) } else { nil } }

    /// The value of the last member with this name. Most readers keep the last of duplicate keys. Names are compared byte
    /// by byte: a `Dictionary` of `String` would treat two Unicode spellings of `é` as one.
    public subscript(key: String) -> JSONNode? {
        object?.last { $0.key.utf8.elementsEqual(key.utf8) }?.value
    }

    /// A key that stands twice in the object or in an object inside it; nil where there is none.
    package var duplicateKey: String? {
        switch value {
        case .object(let members):
            var keys: Set<[UInt8]> = []
            if let twice = members.first(where: { !keys.insert(Array($0.key.utf8)).inserted }) { return twice.key }
            return members.lazy.compactMap(\.value.duplicateKey).first
        case .array(let items): return items.lazy.compactMap(\.duplicateKey).first
        default: return nil
        }
    }

    /// The value of a member, as the subscript gives it; nil also where it is `null`. Programs that write every member of a
    /// structure write `null` for one that they do not have.
    package func member(_ key: String) -> JSONNode? {
        guard let node = self[key] else { return nil }
        if case .null = node.value { return nil }
        return node
    }

    /// The value's JSON type with an article, for messages: "a string", "an object", "null".
    public var typeName: String {
        switch value {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension JSONNode: Equatable {
    /// Compares JSON values. Places and the order of members do not count. Strings compare byte by byte, numbers as
    /// written. The last of duplicate keys counts.
    public static func == (left: JSONNode, right: JSONNode) -> Bool {
        switch (left.value, right.value) {
        case (.null, .null): return true
        case (.bool(let a), .bool(let b)): return a == b
        case (.number(let a), .number(let b)): return a == b
        case (.string(let a), .string(let b)): return a.utf8.elementsEqual(b.utf8)
        case (.array(let a), .array(let b)): return a == b
        case (.object(let a), .object(let b)):
            let mine = Self.members(a)
            return mine == Self.members(b)
        default: return false
        }
    }

    private static func members(_ list: [JSONMember]) -> [[UInt8]: JSONNode] {
        Dictionary(list.map { (Array($0.key.utf8), $0.value) }) { $1 }
    }
}
