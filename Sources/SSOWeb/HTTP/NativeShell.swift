import HTTPTypes
public import Hummingbird

/// How the web views of Hotwire Native and of its predecessor name themselves.
private let nativeShells = ["Hotwire Native", "Turbo Native"].map { Array($0.utf8) }

extension Request {
    /// Whether the web view of a Hotwire Native app says that it sends the request (native.hotwired.dev, User agent).
    ///
    /// A hint for the layout and the status of an answer, never a proof: any program can send this header.
    public var isFromNativeShell: Bool {
        headers[values: .userAgent].contains { agent in
            // By bytes: a search by characters costs many times as much, and visitors choose the length.
            let bytes = Array(agent.utf8)
            return nativeShells.contains { shell in bytes.indices.contains { bytes[$0...].starts(with: shell) } }
        }
    }

    /// Whether a program asks, which cannot show a page: `Accept` names JSON and not HTML.
    public var prefersJSON: Bool {
        // Browsers send one field of fewer than 200 bytes.
        let types = (headers[values: .accept].first ?? "").utf8.prefix(512).split(separator: UInt8(ascii: ","))
            .map { String(decoding: $0.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self).lowercased() }
            .map { $0.filter { $0 != " " } }
        return types.contains("application/json") && !types.contains("text/html")
    }
}

extension PublicError {
    /// The user has to sign in first. For native shells, which show the sign-in as a screen of their own and then ask again:
    /// a redirect would hide from the app what is missing.
    ///
    /// - Parameters:
    ///   - href: where a browser would have been redirected to. It is the link of the page.
    ///   - cookies: `Set-Cookie` fields of the answer.
    public static func signInRequired(_ href: String, cookies: [String] = []) -> Self {
        var headers = HTTPFields()
        headers[values: .setCookie] = cookies
        return Self(
            .unauthorized, code: "unauthenticated", title: Text("error.sign-in-required.title"),
            explanation: Text("error.sign-in-required"),
            nextStep: .init(label: Text("error.sign-in-required.link"), href: href),
            cause: "native_shell_not_signed_in", headers: headers)
    }
}

extension Response {
    /// Sends a visitor who has to sign in to `path`. A native shell gets 401 instead.
    ///
    /// - Parameter remember: sets the cookies of the answer.
    /// - Throws: ``PublicError`` 401 for a native shell.
    public static func toSignIn(
        _ path: String, for request: Request, remember: (inout Response) -> Void = { _ in }
    ) throws -> Response {
        var response = Response.redirect(to: path)
        remember(&response)
        guard request.isFromNativeShell else { return response }
        throw PublicError.signInRequired(path, cookies: response.headers[values: .setCookie])
    }
}
