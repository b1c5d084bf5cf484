import Foundation
import SSOShared

/// The address of the API: Apple's, or another one for tests and proxies.
struct AppStoreConnectAddress: Equatable {
    static let apple = "https://api.appstoreconnect.apple.com"

    /// Scheme, host and port, without a trailing slash.
    let base: String

    /// - Throws: ``AppStoreConnectError/badArgument(_:)`` unless the URL uses https, or http with a loopback address.
    ///   Each request contains a token that is valid for ten minutes.
    init(_ text: String) throws(AppStoreConnectError) {
        let trimmed = text.hasSuffix("/") ? String(text.dropLast()) : text
        let url: WebURL
        do throws(WebURLError) { url = try WebURL(trimmed) } catch {
            if case .otherScheme = error { throw Self.notHTTPS }
            throw Self.notOrigin
        }
        guard url.rest.isEmpty else { throw Self.notOrigin }
        guard url.isHTTPS || url.authority.isLoopback else { throw Self.notHTTPS }
        base = trimmed
    }

    private static let notOrigin = AppStoreConnectError.badArgument(
        "--base-url must be scheme, host and port only, as in \(apple)")
    private static let notHTTPS = AppStoreConnectError.badArgument(
        "--base-url must be https; http is for this very machine only")

    var isPlaintext: Bool { base.lowercased().hasPrefix("http:") }

    /// The URL for App IDs whose identifiers begin with `identifier`. Apple's filter is not exact.
    func bundleIDs(beginning identifier: String) -> String {
        "\(base)/v1/bundleIds?filter%5Bidentifier%5D=\(PercentCoding.encode(identifier))&limit=200"
    }

    func capabilities(of id: String) -> String {
        "\(base)/v1/bundleIds/\(PercentCoding.encode(id))/bundleIdCapabilities"
    }

    var newCapability: String { "\(base)/v1/bundleIdCapabilities" }

    /// The URL of the next page. One on another server is rejected because it would receive the token.
    func page(_ next: String) throws(AppStoreConnectError) -> String {
        guard next.hasPrefix(base + "/v1/"), next.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            throw .unexpected(status: 200, "its next page is on another server")
        }
        return next
    }
}

/// The reason why the capability was not enabled.
enum AppStoreConnectError: Error, Equatable {
    /// The key file cannot be used. The text is the reason.
    case badKey(String)
    /// `--base-url` or another argument is invalid.
    case badArgument(String)
    /// No response arrived. The text is curl's message.
    case notReached(String)
    /// The response did not come from the API.
    case unexpected(status: Int, String)
    /// Status 401.
    case notAuthorized(String)
    /// Status 403.
    case forbidden(String)
    /// No App ID has exactly this identifier. `near` lists others that begin with it.
    case noSuchBundleID(String, near: [String])
    /// Status 429. The limit is the number of requests per hour, if Apple sends it.
    case rateLimited(limit: String?)
    /// Any other error, with Apple's text.
    case refused(status: Int, String)
}

extension AppStoreConnectError: CustomStringConvertible {
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
            "no App ID is registered for exactly \(id) in this team." + Self.prefixHint(id)
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

    /// A hint for an identifier that has the prefix. The prefix belongs only in the association file.
    private static func prefixHint(_ id: String) -> String {
        let prefix = id.utf8.prefix { $0 != UInt8(ascii: ".") }
        let isPrefix =
            prefix.count == 10 && prefix.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) }
        return isPrefix ? " The identifier has no prefix here: leave out \(id.prefix(11))" : ""
    }
}
