import SSOShared
import SSOWeb

/// A registered relying party.
struct PartnerClient: Sendable {
    let id: String
    /// Shown to people.
    let name: String
    let redirectURIs: [String]
    /// All verify; during a rotation there are two.
    let secrets: [SharedSecret]

    /// Where a person goes to begin again: the root of the first web address. Nil for an app alone.
    func startPage(for redirectURI: String? = nil) -> String? {
        let uris = redirectURI.map { [$0] } ?? redirectURIs
        return uris.lazy.compactMap { uri in
            let parts = uri.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
            guard parts.count >= 3, parts[0] == "https:" || parts[0] == "http:" else { return nil }
            return "\(parts[0])//\(parts[2].prefix { $0 != "?" })/"
        }.first
    }

    /// Whether exactly these bytes are registered (RFC 9700 4.1.3, RFC 3986 6.2.1: no normalisation of any kind).
    func hasRedirectURI(_ bytes: [UInt8]) -> Bool { redirectURIs.contains { $0.utf8.elementsEqual(bytes) } }
}
