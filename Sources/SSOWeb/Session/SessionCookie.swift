import Hummingbird

/// The cookie that holds a session's id. It ends with the browser; how long the session lives, the store says.
public struct SessionCookie: Sendable {
    private let cookie: BrowserCookie
    /// With the prefix `__Host-` over https.
    public var name: String { cookie.name }

    /// The cookie called `name`, as tight as the origin allows.
    public init(name: String, origin: PublicOrigin) { cookie = BrowserCookie(name: name, origin: origin) }

    /// The id that the request carries; nil when there is none, or two, or one of another shape.
    func id(in request: Request) -> SessionID? {
        cookie.value(in: request).flatMap { SessionID(cookieValue: $0) }
    }

    func set(_ id: SessionID, in response: inout Response) { cookie.set(id.cookieValue, in: &response) }

    func clear(in response: inout Response) { cookie.clear(in: &response) }
}
