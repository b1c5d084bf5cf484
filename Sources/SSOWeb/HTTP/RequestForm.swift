import HTTPTypes
public import Hummingbird
import NIOCore

extension Request {
    /// The maximum size of a form in bytes.
    public static var maximumFormBytes: Int { 64 * 1024 }

    /// The fields of the query.
    public var queryFields: URLEncodedFields { URLEncodedFields(Array((uri.query ?? "").utf8)) }

    /// Reads the fields of a form.
    ///
    /// - Throws: ``PublicError`` 415 unless the type is `application/x-www-form-urlencoded`, 413 over 64 KiB.
    public func formFields() async throws -> URLEncodedFields {
        guard MediaRange.essence(of: headers[values: .contentType]) == "application/x-www-form-urlencoded" else {
            throw PublicError.unsupportedType
        }
        return URLEncodedFields(try await boundedBody(Self.maximumFormBytes))
    }

    /// Reads a body of at most `limit` bytes.
    ///
    /// - Throws: ``PublicError`` 413 when it is longer.
    public func boundedBody(_ limit: Int) async throws -> [UInt8] {
        // A body that is announced as too long is not read.
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

    /// Whether the browser loads this before a click. Such a request must not consume anything that works once.
    public var isPrefetch: Bool {
        (headers[values: .secPurpose] + headers[values: .purpose]).contains { $0.lowercased().contains("prefetch") }
    }

    /// Whether the user opened this as a page of its own. Missing Fetch Metadata headers are accepted.
    public var isTopLevelNavigation: Bool {
        headers[values: .secFetchDest].allSatisfy { $0 == "document" }
            && headers[values: .secFetchMode].allSatisfy { $0 == "navigate" }
    }
}

/// Reads the media type of a Content-Type field.
public enum MediaRange {
    /// `application/json` for `Application/JSON; charset=utf-8`. nil when the field is missing or appears twice.
    public static func essence(of values: [String]) -> String? {
        guard values.count == 1, let first = values.first else { return nil }
        let essence = first.prefix { $0 != ";" }
        let words = essence.lowercased().split(separator: " ")
        return words.count == 1 ? words.first.map(String.init) : nil
    }
}
