import HTTPTypes
public import Hummingbird
import NIOCore
import SSOShared

/// A JSON file, the same for every visitor: its bytes, headers and entity tag. No cookie, no redirect.
public struct PublicFile: Sendable {
    /// Five minutes, so that a change takes effect soon. Apple's CDN keeps a copy of its file for hours anyway.
    static let cacheControl = "public, max-age=300"

    /// The file's bytes.
    public let content: [UInt8]
    private let body: ByteBuffer
    private let headers: HTTPFields

    /// - Parameter content: JSON.
    public init(json content: [UInt8]) {
        self.content = content
        body = ByteBuffer(bytes: content)
        headers = [
            // No charset: RFC 8259 defines no such parameter.
            .contentType: "application/json",
            .contentLength: String(content.count),
            .cacheControl: Self.cacheControl,
            // A hash of the bytes, so that several processes answer with the same tag.
            .eTag: "\"\(Hex.encode(SHA256.hash(content)))\"",
        ]
    }

    /// The strong tag, quotes included.
    public var tag: String? { headers[.eTag] }

    /// 304 if the client has this file already, otherwise 200.
    public func response(to request: Request) -> Response {
        if isCached(by: request) { return Response(status: .notModified, headers: headers) }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
    }

    /// RFC 9110 section 13.1.2: `*`, or a list that contains this tag. `W/` makes no difference for GET.
    private func isCached(by request: Request) -> Bool {
        guard let own = tag else { return false }
        return request.headers[values: .ifNoneMatch].contains { value in
            value.split(separator: ",").contains { tag in
                let tag = tag.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
                return tag == "*" || (tag.hasPrefix("W/") ? tag.dropFirst(2) : tag) == own[...]
            }
        }
    }
}
