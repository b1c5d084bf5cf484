import HTTPTypes
public import Hummingbird

/// Turns away what no browser and no partner sends, before any route sees it: endless addresses, strange paths, a
/// missing Host. The whole head is measured by ``RequestHeadValidator``.
public struct RequestGuard<Context: RequestContext>: RouterMiddleware {
    public init() {}

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let target = request.head.path ?? ""
        guard target.utf8.count <= RequestLimits.target else {
            throw PublicError.addressTooLong
        }
        // The server has refused these before it came to this; a router without that server has not.
        let needsHost = request.head.authority != nil || !HealthRoutes.paths.contains(request.uri.path)
        guard target.utf8.first == UInt8(ascii: "/"), request.head.authority?.isEmpty == false || !needsHost else {
            throw PublicError.badRequest("It names no path of this service, or no host.")
        }
        guard Self.isPlain(request.uri.path) else { throw PublicError.notFound }
        return try await next(request, context)
    }

    /// Whether a path is written in the one way our routes are: no empty or dot segment, no escape, no parameter.
    /// Proxies and frameworks differ on the others, and differences are how paths are smuggled past a rule.
    static func isPlain(_ path: String) -> Bool {
        if path == "/" { return true }
        let segments = path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return segments.allSatisfy { segment in
            !segment.isEmpty && !segment.elementsEqual(".".utf8) && !segment.elementsEqual("..".utf8)
                && segment.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                        UInt8(ascii: "_"), UInt8(ascii: "~"):
                        true
                    default: false
                    }
                }
        }
    }
}

/// How large the head of a request may be.
enum RequestLimits {
    /// The request target in bytes; longer ones get 414.
    static let target = 8 * 1024
    /// Request line and headers together (contract 7); longer ones get 431.
    static let head = 16 * 1024
    /// More fields than this get 431: a hundred thousand tiny ones cost more than their bytes.
    static let fields = 64
}
