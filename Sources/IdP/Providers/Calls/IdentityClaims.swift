import SSOShared
import SSOWeb

/// Reads address and name of the user from the claims of an ID token, with the rules of each kind of provider.
struct IdentityClaims: Sendable {
    /// The address of the claims, or why no address counts.
    enum Address: Sendable, Equatable {
        case verified(EmailAddress)
        /// A word for the log.
        case ignored(String)
    }

    let claims: TokenClaims
    let provider: Provider

    /// The address that counts as verified.
    ///
    /// Microsoft's `email` may be set to any address by an administrator of any tenant ("nOAuth"): it counts only with
    /// `xms_edov`, the claim that the domain's owner has been verified.
    func address() -> Address {
        guard provider.emailTrust == .ifVerified else { return .ignored("email_not_trusted") }
        guard let node = claims.json.member("email") else { return .ignored("email_missing") }
        let isVerified =
            provider.kind == .microsoft
            ? claims.isTrue("xms_edov") || claims.json["xms_edov"]?.integer == 1
                || claims.json["xms_edov"]?.string == "1"
            : claims.isTrue("email_verified")
        guard isVerified else { return .ignored("email_not_verified") }
        return Self.address(node)
    }

    /// ``EmailAddress`` trims what a user pastes. A provider's address counts only as it stands.
    static func address(_ node: JSONNode) -> Address {
        guard let text = node.string, let address = try? EmailAddress(text),
            address.text.utf8.count == text.utf8.count
        else { return .ignored("email_invalid") }
        return .verified(address)
    }

    /// Refuses an address outside the domains of the settings. A missing one is outside.
    static func checkDomain(_ address: EmailAddress?, _ provider: Provider) throws(ProviderError) {
        guard !provider.allowedDomains.isEmpty else { return }
        let domain = address?.text.split(separator: "@").last.map(String.init)
        guard let domain, provider.allowedDomains.contains(domain) else {
            throw .answer(.domain, domain ?? "no verified address")
        }
    }

    /// The domain of an organisation whose accounts Google hosts, in lower case: "Google is authoritative" for its addresses
    /// (developers.google.com/identity/gsi/web/guides/verify-google-id-token). Of other providers the claim says nothing.
    var hostedDomain: String? {
        guard provider.kind == .google, let text = claims.json["hd"]?.string, HostPort.isDomain(text.utf8) else {
            return nil
        }
        return String(decoding: text.utf8.map(\.asciiLowercased), as: UTF8.self)
    }

    /// `name`, by the rules for names on pages; ignored when it breaks them.
    var name: String? { claims.json["name"]?.string.flatMap(DisplayName.normalised) }

    /// The name in Apple's `user` field, `{"name":{"firstName":"Ann","lastName":"Lee"},…}`. Apple sends it once, through the
    /// browser and unsigned: it is only a proposal for a new account's name, and the address in it is not read.
    static func appleName(_ user: String?) -> String? {
        guard let user, user.utf8.count <= 4096, let json = try? JSONReader.readStrictly([UInt8](user.utf8)),
            let name = json["name"]
        else { return nil }
        let parts = ["firstName", "lastName"].compactMap { name[$0]?.string }
        return DisplayName.normalised(parts.joined(separator: " "))
    }
}
