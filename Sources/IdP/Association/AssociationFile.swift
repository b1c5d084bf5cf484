import HTTPTypes
import Hummingbird
import NIOCore
import SSOShared

/// One association file as it goes over the wire: bytes, type, tag, and the answers to GET, HEAD and "still the same?".
struct AssociationFile: Sendable {
    /// Five minutes: a new app id reaches everyone who asks us soon; Apple's CDN keeps its own copy for hours anyway.
    static let cacheControl = "public, max-age=300"

    /// The file's bytes.
    let content: [UInt8]
    private let body: ByteBuffer
    private let headers: HTTPFields

    init(content: [UInt8]) {
        self.content = content
        body = ByteBuffer(bytes: content)
        headers = [
            // No charset: JSON is UTF-8, and RFC 8259 defines no such parameter.
            .contentType: "application/json",
            .contentLength: String(content.count),
            .cacheControl: Self.cacheControl,
            // Strong: the same bytes, by their hash, so several processes answer with the same tag.
            .eTag: "\"\(Hex.encode(SHA256.hash(content)))\"",
        ]
    }

    /// The strong tag, quotes included.
    var tag: String? { headers[.eTag] }

    /// 304 when the client holds this very file, else 200; without a body for HEAD, with the length it would have.
    func response(to request: Request) -> Response {
        if isHeld(by: request) { return Response(status: .notModified, headers: headers) }
        guard request.method != .head else { return Response(status: .ok, headers: headers) }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
    }

    /// RFC 9110 section 13.1.2: `*`, or a list that holds our tag; for reading, `W/` makes no difference.
    private func isHeld(by request: Request) -> Bool {
        guard let own = tag else { return false }
        return request.headers[values: .ifNoneMatch].contains { value in
            value.split(separator: ",").contains { tag in
                let tag = tag.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
                return tag == "*" || (tag.hasPrefix("W/") ? tag.dropFirst(2) : tag) == own[...]
            }
        }
    }
}
