public import Foundation

/// What the system browser brings back to an identity provider's app: a code, or an error.
public enum HandoffCallback: Sendable, Hashable {
    /// `newUser`: this sign-in made the account.
    case code(String, newUser: Bool)
    /// Such as `access_denied`: the user cancelled.
    case error(String)

    /// Why a URL is not a result.
    public enum ParseError: String, Error, Sendable, Hashable {
        /// Another scheme, host or path: not this app's callback.
        case otherAddress = "other_address"
        /// A parameter is missing, given twice or not in its form.
        case malformed
    }

    /// Reads a callback. Nothing in it is trusted: any app or page can open the callback's scheme. What makes it safe is
    /// the verifier, which only the app has.
    public static func parse(
        _ url: URL, _ configuration: NativeConfiguration
    ) throws(ParseError) -> HandoffCallback {
        let items = try CallbackItems(url, configuration, names: ["code", "new_user", "error"])
        if let error = items["error"] {
            guard items["code"] == nil, CallbackItems.isErrorCode(error) else { throw .malformed }
            return .error(error)
        }
        guard let code = items["code"], HandoffRequest.isSecret(code, prefix: "shc_") else { throw .malformed }
        switch items["new_user"] {
        case nil, "false": return .code(code, newUser: false)
        case "true": return .code(code, newUser: true)
        default: throw .malformed
        }
    }
}

/// What the system browser brings back to a relying party's app: the parameters for the callback of its server.
public struct PartnerCallback: Sendable, Hashable {
    /// As in the authorize request.
    public let state: String
    /// Set instead of a token, such as `access_denied`.
    public let error: String?
    /// `/auth/sso/callback` of the app's server with the same parameters, for the web view. The state's cookie and the
    /// PKCE verifier are there. It holds a token: never log it, never open it twice.
    public let url: URL

    /// Reads a callback. The server checks state and token; the app checks only the form.
    public static func parse(
        _ url: URL, _ configuration: NativeConfiguration
    ) throws(HandoffCallback.ParseError) -> PartnerCallback {
        let items = try CallbackItems(url, configuration, names: ["token", "state", "error"])
        let result: (name: String, value: String)
        switch (items["token"], items["error"]) {
        case (let token?, nil) where CallbackItems.isPrintable(token): result = ("token", token)
        case (nil, let error?) where CallbackItems.isErrorCode(error): result = ("error", error)
        default: throw .malformed
        }
        guard let state = items["state"], CallbackItems.isPrintable(state),
            let address = configuration.server.address(ServerPath.callback, query: [result, ("state", state)])
        else { throw .malformed }
        return PartnerCallback(state: state, error: items["error"], url: address)
    }
}

/// The parameters of a callback that count, each at most once. Other parameters are left out.
private struct CallbackItems {
    private var values: [String: String] = [:]

    subscript(name: String) -> String? { values[name] }

    init(_ url: URL, _ configuration: NativeConfiguration, names: Set<String>) throws(HandoffCallback.ParseError) {
        guard let query = configuration.callback.parameters(of: url) else { throw .otherAddress }
        guard let items = LinkParts.values(of: query) else { throw .malformed }
        for (name, value) in items where names.contains(name) {
            guard values.updateValue(value, forKey: name) == nil else { throw .malformed }
        }
    }

    /// Error codes are lower-case words (RFC 6749, section 4.1.2.1).
    static func isErrorCode(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 64 && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x5F }
    }

    /// ASCII without blanks and control characters, at most 512 bytes.
    static func isPrintable(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 512 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
