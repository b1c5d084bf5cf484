import HTTPTypes
public import Hummingbird
import SSOShared

/// How the web views of Hotwire Native and of its predecessor name themselves.
private let nativeShells = ["Hotwire Native", "Turbo Native"]

extension Request {
    /// Whether the web view of a Hotwire Native app says that it sends the request (native.hotwired.dev, User agent).
    ///
    /// A hint for the layout and the status of an answer, never a proof: any program can send this header.
    public var isFromNativeShell: Bool {
        headers.contains { field in
            guard field.name == .userAgent else { return false }
            // By bytes: a search by characters costs many times as much, and visitors choose the length.
            let bytes = field.value.utf8
            return nativeShells.contains { shell in bytes.indices.contains { bytes[$0...].starts(with: shell.utf8) } }
        }
    }

    /// Whether a program asks, which cannot show a page: `Accept` names JSON and not HTML.
    public var prefersJSON: Bool {
        // Browsers send one field of fewer than 200 bytes.
        guard let accepted = headers.first(where: { $0.name == .accept })?.value else { return false }
        var rest = accepted.utf8.prefix(512)
        var (namesJSON, namesHTML) = (false, false)
        while !rest.isEmpty {
            let type = rest.removePart(before: UInt8(ascii: ",")).prefix { $0 != UInt8(ascii: ";") }
            let name = type.lazy.filter { $0 != UInt8(ascii: " ") }.map(\.asciiLowercased)
            namesJSON = namesJSON || name.elementsEqual("application/json".utf8)
            namesHTML = namesHTML || name.elementsEqual("text/html".utf8)
        }
        return namesJSON && !namesHTML
    }
}

extension Substring.UTF8View {
    /// Removes the bytes before the first separator, and the separator itself; without one all bytes.
    ///
    /// - Returns: the bytes before the separator.
    mutating func removePart(before separator: UInt8) -> Self {
        let part = prefix { $0 != separator }
        self = self[part.endIndex...].dropFirst()
        return part
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
