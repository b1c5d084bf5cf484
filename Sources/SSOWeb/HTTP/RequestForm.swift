import HTTPTypes
public import Hummingbird
import NIOCore

extension Request {
    /// Bodies of forms are at most this long (contract 7).
    public static var maximumFormBytes: Int { 64 * 1024 }

    /// The query's fields.
    public var queryFields: URLEncodedFields { URLEncodedFields(Array((uri.query ?? "").utf8)) }

    /// Reads a form's fields.
    ///
    /// - Throws: ``PublicError`` 415 for another type than `application/x-www-form-urlencoded`, 413 over 64 KiB.
    public func formFields() async throws -> URLEncodedFields {
        guard MediaRange.essence(of: headers[values: .contentType]) == "application/x-www-form-urlencoded" else {
            throw PublicError.unsupportedType
        }
        return URLEncodedFields(try await boundedBody(Self.maximumFormBytes))
    }

    /// Reads a body of at most `limit` bytes.
    ///
    /// - Throws: ``PublicError`` 413 beyond it.
    public func boundedBody(_ limit: Int) async throws -> [UInt8] {
        // A body that says it is too long is not read at all.
        if let length = headers[.contentLength].flatMap({ Int($0) }), length > limit { throw PublicError.tooLarge }
        do {
            let buffer = try await body.collect(upTo: limit)
            return Array(buffer.readableBytesView)
        } catch is NIOTooManyBytesError {
            throw PublicError.tooLarge
        } catch let error as any HTTPResponseError where error.status == .contentTooLarge {
            throw PublicError.tooLarge
        }
    }

    /// Whether a browser loads this ahead of a click. Nothing that is used once may be used for that.
    public var isPrefetch: Bool {
        (headers[values: .secPurpose] + headers[values: .purpose]).contains { $0.lowercased().contains("prefetch") }
    }

    /// Whether a person opened this as a page of its own. Where the browser says nothing, nothing is held against it.
    public var isTopLevelNavigation: Bool {
        headers[values: .secFetchDest].allSatisfy { $0 == "document" }
            && headers[values: .secFetchMode].allSatisfy { $0 == "navigate" }
    }
}

/// The part of a media type that says what it is.
public enum MediaRange {
    /// `application/json` of `Application/JSON; charset=utf-8`; nil when the field is missing or stands there twice.
    public static func essence(of values: [String]) -> String? {
        guard values.count == 1, let first = values.first else { return nil }
        let essence = first.prefix { $0 != ";" }
        let words = essence.lowercased().split(separator: " ")
        return words.count == 1 ? words.first.map(String.init) : nil
    }
}
