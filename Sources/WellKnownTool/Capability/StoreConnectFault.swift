/// Why the capability was not enabled.
enum StoreConnectFault: Error, Equatable {
    /// The key file: why it cannot be used.
    case badKey(String)
    /// `--base-url` or another argument.
    case badArgument(String)
    /// No answer: curl's words.
    case notReached(String)
    /// An answer that is not the API's.
    case unexpected(status: Int, String)
    /// 401.
    case notAuthorized(String)
    /// 403.
    case forbidden(String)
    /// No App ID is registered under exactly this identifier; others that begin so.
    case noSuchBundleID(String, near: [String])
    /// 429; how many requests an hour Apple allows, when it says so.
    case rateLimited(limit: String?)
    /// Any other error, in Apple's words.
    case refused(status: Int, String)
}

extension StoreConnectFault: CustomStringConvertible {
    var description: String {
        switch self {
        case .badKey(let why): "the key cannot be used: \(why)"
        case .badArgument(let what): what
        case .notReached(let why): "App Store Connect could not be reached: \(why)"
        case .unexpected(let status, let what): "the answer (\(status)) is not one of App Store Connect: \(what)"
        case .notAuthorized(let words):
            "App Store Connect does not accept the key (401): \(words) Check --key-id and --issuer, that the key was not "
                + "revoked, and this machine's clock."
        case .forbidden(let words):
            "the key may not do this (403): \(words) Changing App IDs needs the role Admin, or App Manager with access "
                + "to Certificates, Identifiers & Profiles; an agreement may also wait for a signature."
        case .noSuchBundleID(let id, let near):
            "no App ID is registered for exactly \(id) in this team."
                + Self.prefixHint(id)
                + " Register it under Certificates, Identifiers & Profiles, or give a key of the team that has it."
                + (near.isEmpty ? "" : " There are: \(near.prefix(5).joined(separator: ", ")).")
        case .rateLimited(let limit):
            "too many requests (429)" + (limit.map { ": Apple allows this key \($0) an hour" } ?? "")
                + ". Try again later."
        case .refused(let status, let words):
            status >= 500
                ? "App Store Connect has a fault of its own (\(status)): \(words) Try again later."
                : "App Store Connect refused (\(status)): \(words)"
        }
    }

    /// An identifier with the prefix that belongs into the association file.
    private static func prefixHint(_ id: String) -> String {
        let prefix = id.utf8.prefix { $0 != UInt8(ascii: ".") }
        let isPrefix =
            prefix.count == 10 && prefix.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) }
        return isPrefix ? " The identifier has no prefix here: leave out \(id.prefix(11))" : ""
    }
}
