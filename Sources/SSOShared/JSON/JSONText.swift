/// Writes JSON with the members in the order given, so that a signed text is always the same.
public enum JSONText {
    /// One member of an object, its value already JSON.
    public struct Member {
        let text: String

        /// A text.
        public init(_ name: String, _ value: String) { text = "\(JSONText.string(name)):\(JSONText.string(value))" }
        /// A whole number.
        public init(_ name: String, _ value: Int) { text = "\(JSONText.string(name)):\(value)" }
        /// True or false.
        public init(_ name: String, _ value: Bool) { text = "\(JSONText.string(name)):\(value)" }
        /// A list of texts.
        public init(_ name: String, _ values: [String]) {
            text = "\(JSONText.string(name)):[\(values.map(JSONText.string).joined(separator: ","))]"
        }
        /// An object.
        public init(_ name: String, _ members: [Member]) {
            text = "\(JSONText.string(name)):\(JSONText.object(members))"
        }
        /// A list of objects.
        public init(_ name: String, _ objects: [[Member]]) {
            text = "\(JSONText.string(name)):[\(objects.map(JSONText.object).joined(separator: ","))]"
        }
    }

    /// An object, its members in this order.
    public static func object(_ members: [Member]) -> String {
        "{" + members.map(\.text).joined(separator: ",") + "}"
    }

    /// A string in quotation marks, escaped as RFC 8259 section 7 requires, and no more.
    public static func string(_ text: String) -> String {
        var bytes: [UInt8] = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0..<0x20, 0x7f: bytes += [UInt8]("\\u00\(Hex.encode(CollectionOfOne(byte)))".utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
        return String(decoding: bytes, as: UTF8.self)
    }
}
