import SSOShared

/// Strict parser of a query or form body (`application/x-www-form-urlencoded`, WHATWG URL 5.1).
///
/// The framework's parsers take the first of two equal names and accept malformed `%` escapes, so that two programs could
/// read one request in two ways.
public struct URLEncodedFields: Sendable {
    private let pairs: [(name: [UInt8], value: [UInt8]?)]
    /// Whether there are more fields than are parsed. Then repeated names cannot be detected.
    private let hasTooMany: Bool

    /// Why a field cannot be used.
    public enum FieldError: Error, Equatable {
        /// The name appears more than once, or as a list (`name[]`, `name[0]`). Frameworks differ on which value counts, so a
        /// check and an action could use different ones.
        case repeated(String)
        /// A malformed `%` escape, bytes that are not UTF-8, or any field of a request with too many fields.
        case malformed(String)
    }

    /// The maximum number of fields. No form or link of this service has more than ten.
    static let maximumCount = 64

    /// - Parameter text: the text after the `?`, or the body. With more than 64 fields every access throws.
    public init(_ text: some Collection<UInt8>) {
        let parts = text.split(separator: UInt8(ascii: "&"), maxSplits: Self.maximumCount)
        hasTooMany = parts.count > Self.maximumCount
        pairs = parts.map { part in
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else {
                return (Self.decoded(part) ?? [], [])
            }
            return (Self.decoded(part[..<equals]) ?? [], Self.decoded(part[part.index(after: equals)...]))
        }
    }

    /// The number of fields with this name.
    public func count(_ name: String) -> Int {
        let bytes = Array(name.utf8)
        return pairs.count { $0.name == bytes }
    }

    /// The only value of `name` as text, or nil when it is missing.
    public func text(_ name: String) throws(FieldError) -> String? {
        guard let bytes = try bytes(name) else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformed(name) }
        return text
    }

    /// The only value of `name` as bytes, or nil when it is missing.
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

    /// nil for a malformed escape.
    private static func decoded(_ part: some Collection<UInt8>) -> [UInt8]? {
        PercentCoding.decode(part, plusIsSpace: true)
    }
}
