import HTTPTypes
public import Hummingbird
import NIOCore
import NIOHTTP1
import SSOShared

/// Strict parser of a query or form body (`application/x-www-form-urlencoded`, WHATWG URL 5.1).
///
/// The framework's parsers take the first of two equal names and accept malformed `%` escapes, so that two programs
/// could read one request in two ways.
public struct URLEncodedFields: Sendable {
    /// Decoded. Parts of the text that was parsed, except where an escape or a `+` was in it.
    private let pairs: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>?)]
    /// Whether there are more fields than are parsed. Then repeated names cannot be detected.
    private let hasTooMany: Bool

    /// Why a field cannot be used.
    public enum FieldError: Error, Equatable {
        /// The name appears more than once, or as a list (`name[]`, `name[0]`). Frameworks differ on which value
        /// counts, so a check and an action could use different ones.
        case repeated(String)
        /// A malformed `%` escape, bytes that are not UTF-8, or any field of a request with too many fields.
        case malformed(String)

        package var isRepetition: Bool { if case .repeated = self { true } else { false } }
    }

    /// The maximum number of fields. No form or link of this service has more than ten.
    static let maximumCount = 64

    /// - Parameter text: the text after the `?`, or the body. With more than 64 fields every access throws.
    public init(_ text: [UInt8]) {
        var pairs: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>?)] = []
        pairs.reserveCapacity(min(text.count { $0 == UInt8(ascii: "&") }, Self.maximumCount) + 1)
        var rest = text[...]
        while !rest.isEmpty {
            // After the maximum number of fields, the whole rest counts as one more.
            let part = pairs.count < Self.maximumCount ? rest.prefix { $0 != UInt8(ascii: "&") } : rest
            rest = rest.dropFirst(part.count + 1)
            if part.isEmpty { continue }
            if let equals = part.firstIndex(of: UInt8(ascii: "=")) {
                pairs.append((Self.decoded(part[..<equals]) ?? [], Self.decoded(part[(equals + 1)...])))
            } else {
                pairs.append((Self.decoded(part) ?? [], []))
            }
        }
        self.pairs = pairs
        hasTooMany = pairs.count > Self.maximumCount
    }

    /// - Parameter pairs: decoded, of another form than this type reads (``MultipartForm``).
    init(decoded pairs: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>?)]) {
        self.pairs = pairs
        hasTooMany = pairs.count > Self.maximumCount
    }

    /// The number of fields with this name.
    public func count(_ name: String) -> Int { pairs.count { $0.name.elementsEqual(name.utf8) } }

    /// The only value of `name` as text, or nil when it is missing.
    public func text(_ name: String) throws(FieldError) -> String? {
        guard let bytes = try value(name) else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformed(name) }
        return text
    }

    /// The only value of `name` as bytes, or nil when it is missing.
    public func bytes(_ name: String) throws(FieldError) -> [UInt8]? { try value(name).map { Array($0) } }

    /// Every value of a name that may appear more than once, as far as it can be read. None with more than 64 fields.
    public func texts(_ name: String) -> [String] {
        guard !hasTooMany else { return [] }
        return pairs.filter { $0.name.elementsEqual(name.utf8) }
            .compactMap { $0.value.flatMap { String(validating: $0, as: UTF8.self) } }
    }

    /// Whether a field is there, and cannot be decoded as UTF-8.
    public func isUnreadable(_ name: String) -> Bool {
        do throws(FieldError) { _ = try text(name) } catch { return !error.isRepetition }
        return false
    }

    private func value(_ name: String) throws(FieldError) -> ArraySlice<UInt8>? {
        guard !hasTooMany else { throw .malformed(name) }
        var found: ArraySlice<UInt8>?
        for pair in pairs where pair.name.starts(with: name.utf8) {
            let end = pair.name.dropFirst(name.utf8.count).first
            guard end == nil || end == UInt8(ascii: "[") else { continue }
            guard found == nil, end == nil else { throw .repeated(name) }
            guard let value = pair.value else { throw .malformed(name) }
            found = value
        }
        return found
    }

    /// nil for a malformed escape.
    private static func decoded(_ part: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard part.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return part }
        return PercentCoding.decode(part, plusIsSpace: true).map { $0[...] }
    }
}

extension Request {
    /// The maximum size of a form in bytes.
    public static var maximumFormBytes: Int { 64 * 1024 }

    /// A form of a browser is shorter than this many bytes.
    private static var shortFormBytes: Int { 4 * 1024 }

    /// The fields of the query.
    public var queryFields: URLEncodedFields { URLEncodedFields(Array((uri.query ?? "").utf8)) }

    /// Reads the fields of a form.
    ///
    /// - Parameter limit: in bytes.
    /// - Throws: ``PublicError`` 415 unless the type is `application/x-www-form-urlencoded`, 413 over the limit.
    public func formFields(atMost limit: Int = maximumFormBytes) async throws -> URLEncodedFields {
        try checkIsForm()
        return URLEncodedFields(try await boundedBody(limit))
    }

    /// Reads the fields of a form that will be refused, because the refusal may name one of them. A form over 4 KiB counts
    /// as empty, so that the rest of it costs nothing.
    ///
    /// - Throws: ``PublicError`` as ``formFields()``, as far as the head shows it.
    func fieldsOfRefusedForm() async throws -> URLEncodedFields {
        try checkIsForm()
        do { return URLEncodedFields(try await boundedBody(Self.shortFormBytes)) } catch let error as PublicError
            where error.status == .contentTooLarge
        {
            try checkAnnouncedLength(Self.maximumFormBytes)
            return URLEncodedFields([])
        }
    }

    private func checkIsForm() throws(PublicError) {
        guard MediaRange.essence(of: headers[values: .contentType]) == "application/x-www-form-urlencoded" else {
            throw .unsupportedType
        }
    }

    /// Refuses a body that is announced as too long, without reading it.
    ///
    /// - Throws: ``PublicError`` 413.
    public func checkAnnouncedLength(_ limit: Int) throws(PublicError) {
        if let length = headers[.contentLength].flatMap({ Int($0) }), length > limit { throw .tooLarge }
    }

    /// Reads a body of at most `limit` bytes.
    ///
    /// - Throws: ``PublicError`` 413 when it is longer, and 400 when the connection ends before it; `HTTPParserError` when it
    ///   is not HTTP. All of these are the caller's faults.
    public func boundedBody(_ limit: Int) async throws -> [UInt8] {
        try checkAnnouncedLength(limit)
        do {
            let buffer = try await body.collect(upTo: limit)
            return Array(buffer.readableBytesView)
        } catch is NIOTooManyBytesError {
            throw PublicError.tooLarge
        } catch let error as any HTTPResponseError where error.status == .contentTooLarge {
            throw PublicError.tooLarge
        } catch let error where error.isMalformedHTTP || error is CancellationError {
            throw error
        } catch {
            // The connection was reset, or ended in another way that only its client can cause.
            throw PublicError.badRequest(cause: "body_cut_off")
        }
    }

    /// Whether the browser loads this before a click. Such a request must not consume anything that works once.
    public var isPrefetch: Bool {
        (headers[values: .secPurpose] + headers[values: .purpose] + headers[values: .xSecPurpose]).contains {
            $0.lowercased().contains("prefetch")
        }
    }

    /// Whether the user opened this as a page of its own. Missing Fetch Metadata headers are accepted.
    ///
    /// Hotwire Native opens pages with fetch, from a page of the same origin (turbo.hotwired.dev, "Navigate with Turbo
    /// Drive"). No other site can send that.
    public var isTopLevelNavigation: Bool {
        if isFromNativeShell, headers[values: .secFetchSite] == ["same-origin"],
            headers[values: .secFetchDest] == ["empty"]
        {
            return true
        }
        return headers[values: .secFetchDest].allSatisfy { $0 == "document" }
            && headers[values: .secFetchMode].allSatisfy { $0 == "navigate" }
    }

    /// Whether a page opens this in a frame of its own (W3C Fetch Metadata 2.1).
    public var isFrame: Bool {
        let destination = headers[values: .secFetchDest]
        return (destination == ["iframe"] || destination == ["frame"])
            && headers[values: .secFetchMode].allSatisfy { $0 == "navigate" }
    }
}

extension Error {
    /// Whether a body is not HTTP, or ended before its length: a fault of the caller.
    public var isMalformedHTTP: Bool { self is HTTPParserError }
}

/// Reads the media type of a Content-Type field.
public enum MediaRange {
    /// `application/json` for `Application/JSON; charset=utf-8`. nil when the field is missing or appears twice.
    public static func essence(of values: [String]) -> String? {
        guard values.count == 1, let first = values.first else { return nil }
        // The usual form needs no copy.
        if !first.isEmpty,
            first.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != 0x3b && !(0x41...0x5a).contains($0) })
        {
            return first
        }
        let essence = first.prefix { $0 != ";" }
        let words = essence.lowercased().split(separator: " ")
        return words.count == 1 ? words.first.map(String.init) : nil
    }
}
