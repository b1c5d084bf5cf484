import HTTPTypes
public import Hummingbird

/// Refuses what no browser and no relying party sends, before any route sees it: heads that are too large, a missing
/// Host, paths that are not written plainly.
public struct RequestGuard<Context: RequestContext>: RouterMiddleware {
    private let otherHosts, longTargets: PathPatterns

    /// - Parameters:
    ///   - otherHosts: the paths whose requests carry the fields of another service, as in ``PathPatterns``. They may be
    ///   longer, and a request that is too long for them is one without a session.
    ///   - longTargets: the paths with an address of another service in their query.
    public init(otherHosts: Set<String> = [], longTargets: Set<String> = []) {
        (self.otherHosts, self.longTargets) = (PathPatterns(otherHosts), PathPatterns(longTargets))
    }

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        // `uri` makes a new text each time that it is asked.
        let path = request.uri.path
        let isLong = otherHosts.contain(path)
        do { try limits(of: path, isLong).check(request.head) } catch {
            // nginx makes 500 of 414 and 431 where it asks about a request.
            throw isLong ? PublicError.unauthenticated : error
        }
        guard request.head.path?.utf8.first == UInt8(ascii: "/") else {
            throw PublicError.badRequest(cause: "target_form")
        }
        // The server has refused most of these already. A router without that server, as in tests, has not.
        let needsHost = request.head.authority != nil || !HealthPath.all.contains(path)
        guard request.head.authority?.isEmpty == false || !needsHost else {
            throw PublicError.badRequest(cause: "host_missing")
        }
        guard Self.isPlain(path) else { throw PublicError.notFound }
        return try await next(request, context)
    }

    private func limits(of path: String, _ isLong: Bool) -> RequestLimits {
        isLong ? .long : longTargets.contain(path) ? .longTarget : .usual
    }

    /// Whether a path is written as the routes are: no empty or dot segment, no percent escape, no parameter. Proxies
    /// and frameworks read those forms differently, which lets a request pass a rule on paths.
    static func isPlain(_ path: String) -> Bool {
        if path == "/" { return true }
        // The bytes of the segment so far, and how many of them are dots.
        var (length, dots) = (0, 0)
        for byte in path.utf8.dropFirst() {
            switch byte {
            case UInt8(ascii: "/"):
                guard isPlainSegment(length: length, dots: dots) else { return false }
                (length, dots) = (0, 0)
                continue
            case UInt8(ascii: "."): dots += 1
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"):
                break
            default: return false
            }
            length += 1
        }
        return isPlainSegment(length: length, dots: dots)
    }

    /// Whether a segment is neither empty nor `.` nor `..`.
    private static func isPlainSegment(length: Int, dots: Int) -> Bool { length > 2 || length > dots }
}

/// How large the head of a request may be. The parser stops at four times the usual sizes.
package struct RequestLimits: Sendable {
    /// Bytes of the request target. Longer ones get 414.
    package static let target = 8 * 1024
    static let usual = RequestLimits(target: target, head: 16 * 1024, fields: 64)
    /// For requests that carry the cookies of another service, or a whole address of it.
    static let long = RequestLimits(target: 32 * 1024, head: 32 * 1024, fields: 128)
    /// For requests with an address of another service in the query: its 8 KiB are longer in that form.
    static let longTarget = RequestLimits(target: 14 * 1024, head: 16 * 1024, fields: 64)

    /// Bytes of the request target here.
    let target: Int
    /// Bytes of request line and fields together. Longer heads get 431.
    let head: Int
    /// Number of fields. More get 431: many tiny fields cost more work than their bytes suggest.
    let fields: Int

    /// - Throws: ``PublicError`` 414 or 431.
    func check(_ head: HTTPRequest) throws(PublicError) {
        guard head.path?.utf8.count ?? 0 <= target else { throw .addressTooLong }
        // The parsed head has no Host field: its value is the authority.
        let count = head.headerFields.count + (head.authority == nil ? 0 : 1)
        guard count <= fields, Self.size(of: head) <= self.head else { throw .headTooLarge }
    }

    /// The size on the wire of a head in the usual form: `NAME: VALUE`, CR, LF.
    private static func size(of head: HTTPRequest) -> Int {
        let line = head.method.rawValue.utf8.count + (head.path?.utf8.count ?? 0) + "  HTTP/1.1\r\n".utf8.count
        let host = head.authority.map { "Host: \r\n".utf8.count + $0.utf8.count } ?? 0
        return head.headerFields.reduce(line + host + "\r\n".utf8.count) {
            $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + ": \r\n".utf8.count
        }
    }
}
