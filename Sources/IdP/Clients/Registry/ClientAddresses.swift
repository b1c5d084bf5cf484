package import SSOShared
import SSOWeb

/// What the addresses of a client may be, and what to know about them.
extension Client {
    /// Whether a message may go to one of its addresses over plain http: on this machine, or in a private network where its
    /// entry allows that. Nobody reads the message on the way there, or only someone in that network.
    package func takesPlainHTTP(at url: WebURL) -> Bool {
        let hosts = allowsPrivateHTTP ? RedirectURI.PlainHosts.privateNetworks : .loopback
        return !url.isHTTPS && hosts.contains(url.authority)
    }

    /// What an operator should know about its addresses: one sentence for each kind.
    package var addressWarnings: [String] {
        let schemes = redirectURIs.map { $0.prefix { $0 != ":" } }
            .filter { AppScheme.isOneWord($0) && $0 != "https" && $0 != "http" }
        var warnings: [String] = []
        if let scheme = schemes.first {
            warnings.append(
                "\(id) has a redirect URI with the scheme \(scheme):. Any other app may claim a scheme of one word. Users are asked each time, and PKCE protects the code."
            )
        }
        if let address = plainAddresses.first {
            warnings.append(
                "\(id) has an address with plain http, \(address): everyone in that network can read and change what goes there."
            )
        }
        return warnings
    }

    /// Those with http in a private network.
    private var plainAddresses: [String] {
        let further = protocols.flatMap { $0.returnAddresses } + protocols.compactMap { $0.signOutAddress }
        return (redirectURIs + further).filter { address in
            guard let url = try? WebURL(address, allowing: .looseNames), !url.isHTTPS else { return false }
            return !url.authority.isLoopback
        }
    }
}
