/// The fields of a query or of a form body (`application/x-www-form-urlencoded`, WHATWG URL 5.1), read strictly.
///
/// Written here because the framework's readers take the first of two equal names and let malformed `%` escapes
/// through; either makes two programs read one request in two ways. Names and values are bytes until asked for.
public struct URLEncodedFields: Sendable {
    private let pairs: [(name: [UInt8], value: [UInt8]?)]
    /// More fields came than are looked at, so that nobody knows which names stand there twice.
    private let hasTooMany: Bool

    /// Why a field cannot be used.
    public enum FieldError: Error, Equatable {
        /// The name stands there more than once, or as a list: `name[]`, `name[0]`. Some frameworks read the one, some
        /// the other, and the one that checks is then not the one that acts.
        case repeated(String)
        /// A broken `%` escape, bytes that are not UTF-8, or a field of a request with too many of them.
        case malformed(String)
    }

    /// At most this many fields are looked at: no form or link of ours has more than ten.
    static let maximumCount = 64

    /// - Parameter text: what follows the `?`, or the body. Of more than 64 fields none can be asked for.
    public init(_ text: some Collection<UInt8>) {
        let parts = text.split(separator: UInt8(ascii: "&"), maxSplits: Self.maximumCount)
        hasTooMany = parts.count > Self.maximumCount
        pairs = parts.map { part in
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else {
                return (Self.decode(part) ?? [], [])
            }
            return (Self.decode(part[..<equals]) ?? [], Self.decode(part[part.index(after: equals)...]))
        }
    }

    /// How often the name stands there.
    public func count(_ name: String) -> Int {
        let bytes = Array(name.utf8)
        return pairs.count { $0.name == bytes }
    }

    /// The one value of `name` as text, nil when the name is missing.
    public func text(_ name: String) throws(FieldError) -> String? {
        guard let bytes = try bytes(name) else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformed(name) }
        return text
    }

    /// The one value of `name` as bytes, nil when the name is missing.
    public func bytes(_ name: String) throws(FieldError) -> [UInt8]? {
        guard !hasTooMany else { throw .malformed(name) }
        let wanted = Array(name.utf8)
        let list = wanted + [UInt8(ascii: "[")]
        var found: [UInt8]?
        for pair in pairs where pair.name == wanted || pair.name.starts(with: list) {
            guard found == nil, pair.name == wanted else { throw .repeated(name) }
            guard let value = pair.value else { throw .malformed(name) }
            found = value
        }
        return found
    }

    /// Undoes `+` and `%XX`; nil for a broken escape.
    private static func decode(_ part: some Collection<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(part.count)
        var rest = part.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "+"): result.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else { return nil }
                result.append(high << 4 | low)
            default: result.append(byte)
            }
        }
        return result
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
