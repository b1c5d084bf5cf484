import SSOShared

/// Which URLs and addresses a provider may have.
struct ProviderURL: Sendable {
    /// The issuer's own host is this machine: a trial or a test.
    let isLoopback: Bool
    private let allowsPrivate: Bool

    /// nil when the issuer is not a URL.
    init?(_ provider: Provider) {
        guard let issuer = try? WebURL(provider.issuer) else { return nil }
        isLoopback = issuer.authority.isLoopback
        allowsPrivate = provider.allowsPrivateAddresses
    }

    /// Whether a URL from a document of the provider may be used: https, or http where both it and the issuer are this
    /// machine; no user name, no fragment.
    func permits(_ text: String) -> Bool {
        guard text.utf8.count <= 2048, let url = try? WebURL(text), !url.rest.utf8.contains(UInt8(ascii: "#")) else {
            return false
        }
        guard url.authority.isLoopback else { return url.isHTTPS }
        // Another server's document must not lead this program to services on this machine.
        return isLoopback || (allowsPrivate && url.isHTTPS)
    }

    /// Refuses addresses that are not public, unless the settings permit them. Checked for each connection, because DNS may
    /// change its answer.
    var addressError: (@Sendable ([UInt8]) -> String?)? {
        if allowsPrivate { return nil }
        let isLoopback = isLoopback
        return { octets in
            let kind = ReservedAddress.kind(of: octets)
            return isLoopback && kind == "loopback" ? nil : kind
        }
    }
}
