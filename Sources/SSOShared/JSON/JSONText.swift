/// Writes JSON with the members in the order given, so that a signed text is always the same.
public enum JSONText {
    /// One member of an object.
    public struct Member {
        fileprivate enum Value {
            case text(String)
            case number(Int)
            case flag(Bool)
            case texts([String])
            case object([Member])
            case objects([[Member]])
            case null
        }

        fileprivate let name: String
        fileprivate let value: Value

        /// A text.
        public init(_ name: String, _ value: String) { (self.name, self.value) = (name, .text(value)) }
        /// A text, or null.
        public init(_ name: String, orNull value: String?) {
            (self.name, self.value) = (name, value.map(Value.text) ?? .null)
        }
        /// A whole number.
        public init(_ name: String, _ value: Int) { (self.name, self.value) = (name, .number(value)) }
        /// True or false.
        public init(_ name: String, _ value: Bool) { (self.name, self.value) = (name, .flag(value)) }
        /// A list of texts.
        public init(_ name: String, _ values: [String]) { (self.name, value) = (name, .texts(values)) }
        /// An object.
        public init(_ name: String, _ members: [Member]) { (self.name, value) = (name, .object(members)) }
        /// A list of objects.
        public init(_ name: String, _ objects: [[Member]]) { (self.name, value) = (name, .objects(objects)) }
    }

    /// An object, its members in this order.
    public static func object(_ members: [Member]) -> String { String(decoding: bytes(members), as: UTF8.self) }

    /// The bytes of an object, its members in this order.
    public static func bytes(_ members: [Member]) -> [UInt8] {
        var bytes: [UInt8] = []
        // Room for an ordinary body. The bytes of a longer one are copied while they are written.
        bytes.reserveCapacity(512)
        append(members, to: &bytes)
        return bytes
    }

    /// A string in quotation marks, escaped as RFC 8259 section 7 requires, and no more.
    public static func string(_ text: String) -> String {
        var bytes: [UInt8] = []
        append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func append(_ members: [Member], to bytes: inout [UInt8]) {
        append(members, between: "{", "}", to: &bytes) { member, bytes in
            append(member.name, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            switch member.value {
            case .text(let text): append(text, to: &bytes)
            case .number(let number): bytes += String(number).utf8
            case .null: bytes += "null".utf8
            case .flag(let flag): bytes += (flag ? "true" : "false").utf8
            case .texts(let texts):
                append(texts, between: "[", "]", to: &bytes) { append($0, to: &$1) }
            case .object(let members): append(members, to: &bytes)
            case .objects(let objects):
                append(objects, between: "[", "]", to: &bytes) { append($0, to: &$1) }
            }
        }
    }

    /// A list with commas between its items.
    private static func append<Item>(
        _ items: [Item], between start: Unicode.Scalar, _ end: Unicode.Scalar, to bytes: inout [UInt8],
        _ append: (Item, inout [UInt8]) -> Void
    ) {
        bytes.append(UInt8(ascii: start))
        for (index, item) in items.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            append(item, &bytes)
        }
        bytes.append(UInt8(ascii: end))
    }

    /// Appends a string as ``string(_:)`` writes it.
    package static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20, 0x7f:
                bytes += "\\u00".utf8
                Hex.append(byte, to: &bytes)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// How many bytes ``string(_:)`` has.
    package static func length(of text: String) -> Int {
        text.utf8.reduce(2) { length, byte in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): length + 2
            case 0..<0x20, 0x7f: length + 6
            default: length + 1
            }
        }
    }
}
