import HTTPTypes
public import Hummingbird

/// A cookie for this host alone, as tight as the origin allows (ASVS 3.3.1 to 3.3.4): `__Host-` and `Secure`
/// over https, plain on a loopback host.
///
/// Over https neither a sibling domain nor an attacker on the network can set it: a browser takes a name with `__Host-`
/// only from this very host over TLS (RFC 6265bis 4.1.3.2).
public struct BrowserCookie: Sendable {
    /// With the prefix `__Host-` over https.
    public let name: String
    /// The name and `=`.
    private let start: [UInt8]
    private let attributes: String
    private let maximumAge: Duration?

    /// - Parameter maximumAge: how long the browser keeps it; nil for as long as it runs.
    public init(name: String, origin: PublicOrigin, maximumAge: Duration? = nil) {
        self.name = origin.isHTTPS ? "__Host-\(name)" : name
        start = Array("\(self.name)=".utf8)
        attributes = "; Path=/; HttpOnly; SameSite=Lax" + (origin.isHTTPS ? "; Secure" : "")
        self.maximumAge = maximumAge
    }

    /// The cookie's value in a request. Two cookies of this name count as none: another host of the domain may have set one
    /// of them (cookie tossing), and the server cannot tell which.
    ///
    /// A request may hold 16 KiB of cookies of which none is ours, so they are compared as bytes.
    public func value(in request: Request) -> Substring? {
        var found: Substring?
        for header in request.headers where header.name == .cookie {
            var field = header.value
            let (first, isRepeated) = field.withUTF8 { values(in: $0) }
            guard let first else { continue }
            if found != nil || isRepeated { return nil }
            let begin = field.utf8.index(field.startIndex, offsetBy: first.lowerBound)
            found = field[begin..<field.utf8.index(begin, offsetBy: first.count)]
        }
        return found
    }

    /// The place of this cookie's first value in a `Cookie` field, and whether there is a second one.
    private func values(in field: UnsafeBufferPointer<UInt8>) -> (first: Range<Int>?, isRepeated: Bool) {
        var first: Range<Int>?
        var index = 0
        while index < field.count {
            while index < field.count, field[index] == UInt8(ascii: " ") { index += 1 }
            let pair = index
            while index < field.count, field[index] != UInt8(ascii: ";") { index += 1 }
            if field[pair..<index].starts(with: start) {
                guard first == nil else { return (first, true) }
                first = (pair + start.count)..<index
            }
            index += 1
        }
        return (first, false)
    }

    /// Sets the cookie. The value must consist of cookie characters, such as base64url.
    ///
    /// - Parameter age: how long the browser keeps this one; nil for the cookie's own time.
    public func set(_ value: String, keptFor age: Duration? = nil, in response: inout Response) {
        let end = (age ?? maximumAge).map { "; Max-Age=\($0.secondsRoundedUp)" } ?? ""
        response.headers.append(.init(name: .setCookie, value: "\(name)=\(value)\(attributes)\(end)"))
    }

    /// Moves a key from the URL into the cookie: a URL stays in the history and is sent to the next site as the referrer.
    ///
    /// - Parameters:
    ///   - key: nil for a damaged one. The cookie has `-` in its place, so that the key of an earlier link does not come back.
    ///   - path: the page that reads the cookie.
    package func taking(_ key: String?, to path: String) -> Response {
        var response = Response.redirect(to: path)
        response.headers[.referrerPolicy] = "no-referrer"
        set(key ?? "-", in: &response)
        return response
    }

    /// Removes the cookie from the browser.
    public func clear(in response: inout Response) {
        response.headers.append(.init(name: .setCookie, value: "\(name)=\(attributes); Max-Age=0"))
    }
}

/// The cookie that holds a session's id. A browser's ends with the browser, unless its user asked to stay signed in. An app's is
/// kept. The store decides how long the session lives.
public struct SessionCookie: Sendable {
    private let cookie: BrowserCookie
    /// With the prefix `__Host-` over https.
    public var name: String { cookie.name }

    /// The cookie called `name`, as tight as the origin allows.
    public init(name: String, origin: PublicOrigin) {
        cookie = BrowserCookie(name: name, origin: origin)
    }

    /// The id that the request carries; nil without a cookie, with two, and for a value that is not an id.
    public func id(in request: Request) -> SessionID? {
        cookie.value(in: request).flatMap { SessionID(cookieValue: $0) }
    }

    /// - Parameter now: the cookie of a remembered session ends with it.
    func set(_ session: Session, at now: Timestamp, in response: inout Response) {
        let rest = session.rememberedUntil.map { max($0 - now, .zero) }
        cookie.set(
            session.id.cookieValue, keptFor: session.app == nil ? rest : AppSession.lifetime, in: &response)
    }

    /// Whether a response sets or clears the cookie already.
    func isSet(in response: Response) -> Bool {
        response.headers[values: .setCookie].contains { $0.hasPrefix("\(name)=") }
    }

    /// Removes what would set the cookie to this id.
    func leaveOut(_ id: SessionID, in response: inout Response) {
        guard isSet(in: response) else { return }
        response.headers[values: .setCookie].removeAll { $0.hasPrefix("\(name)=\(id.cookieValue);") }
    }

    func clear(in response: inout Response) { cookie.clear(in: &response) }
}
