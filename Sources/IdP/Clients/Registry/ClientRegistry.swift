package import SSOShared
package import SSOWeb

/// A registered relying party.
package struct Client: Sendable {
    package let id: String
    /// Shown to users.
    package let name: String
    package let redirectURIs: [String]
    /// All verify, the first is the current one. During a rotation there are two.
    package let secrets: [SharedSecret]
    /// Of the secrets, in their order.
    package let fingerprints: [String]
    /// Where its entry is.
    package var origin = ClientOrigin.environment
    /// Shown beside the name.
    package var logo: LogoFile?
    /// Where users start, if it is not the root of the first web address.
    package var startURL: String?
    package var access = ClientAccess.unstated
    /// Which of the user's groups the client is told; nil to tell none, also not an empty list.
    package var exposedGroups: [String]?
    /// Whom a user without access asks: an https or mailto address.
    package var contact: String?
    /// Whether the list of services on the home page leaves it out.
    package var isHidden = false
    /// The ways in which it may ask for a sign-in: what each protocol has read from its entry.
    package var protocols: [any ClientProtocolSettings] = []
    /// The strength that a sign-in must have at least; `IDP_REQUIRE` may ask for more.
    package var require = Strength.any
    /// Whether its addresses may be plain http in private networks.
    package var allowsPrivateHTTP = false

    package init(
        id: String, name: String, redirectURIs: [String], secrets: [SharedSecret], logo: LogoFile? = nil,
        startURL: String? = nil
    ) {
        (self.id, self.name, self.redirectURIs, self.secrets) = (id, name, redirectURIs, secrets)
        (self.logo, self.startURL) = (logo, startURL)
        fingerprints = secrets.map(\.fingerprint)
    }

    /// Where a user starts again: the client's `start_url`, or else the root of the first web address. Nil for a client that
    /// is only an app.
    package func startPage(for redirectURI: String? = nil) -> String? {
        if let startURL { return startURL }
        let uris = redirectURI.map { [$0] } ?? redirectURIs
        return uris.lazy.compactMap { uri in
            // No page is at a port that is not known yet.
            guard !LoopbackPort.isOpen(in: uri) else { return nil }
            let parts = uri.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
            guard parts.count >= 3, parts[0] == "https:" || parts[0] == "http:" else { return nil }
            return "\(parts[0])//\(parts[2].prefix { $0 != "?" })/"
        }.first ?? protocols.lazy.compactMap(\.startPage).first
    }

    /// Whether exactly these bytes are registered (RFC 9700 4.1.3, RFC 3986 6.2.1: without normalisation).
    /// A public client may leave the port of a loopback address open.
    package func hasRedirectURI(_ sent: String) -> Bool {
        redirectURIs.contains { uri in
            uri.utf8.elementsEqual(sent.utf8)
                ? !LoopbackPort.isOpen(in: uri) : isPublic && LoopbackPort.matches(uri, sent)
        }
    }

    /// Whether the browser goes back to an app's own scheme, or to any port of this machine. Any program may claim those, and
    /// may have begun this request: the user agrees on a page first, also when signed in already (RFC 8252 8.6).
    package func isForAnyProgram(at returnTo: String) -> Bool {
        let isWeb = returnTo.utf8.starts(with: "https:".utf8) || returnTo.utf8.starts(with: "http:".utf8)
        return !isWeb || isPublic && !returnTo.utf8.starts(with: "https:".utf8)
    }

    /// The registered redirect URI that shares most with a text at both ends, for the log: the two differ in one place, such
    /// as a slash, a host or a port. In linear time, because anybody may send the text.
    package func nearestRedirectURI(to sent: [UInt8]) -> String? { Self.nearest(to: sent, in: redirectURIs) }

    /// The one of several addresses that is most like what was sent; nil without any.
    package static func nearest(to sent: [UInt8], in uris: [String]) -> String? {
        func shared(_ uri: String) -> Int {
            let own = Array(uri.utf8)
            let start = zip(own, sent).prefix { $0 == $1 }.count
            let end = zip(own.dropFirst(start).reversed(), sent.dropFirst(start).reversed()).prefix { $0 == $1 }.count
            return start + end
        }
        return uris.max { shared($0) < shared($1) }
    }
}

/// Where the entry of a client is.
package enum ClientOrigin: Sendable, Equatable {
    /// In `IDP_CLIENTS_FILE`.
    ///
    /// - Parameters:
    ///   - line: of the entry.
    ///   - secretLines: of the secrets, in their order.
    ///   - isFixed: whether a secret is an `env:` or a `credential:`, which are as they were at the start.
    case file(path: String, line: Int, secretLines: [Int], isFixed: Bool)
    /// In the `SSO_…` settings.
    case environment
    /// It was added by command.
    case database

    /// `/etc/swift-sso/clients.yaml:12`, or `SSO_CLIENT_ID`. Nil for one in the database.
    package var place: String? {
        switch self {
        case .file(let path, let line, _, _): "\(path):\(line)"
        case .environment: "SSO_CLIENT_ID"
        case .database: nil
        }
    }
}

extension Client {
    /// What a protocol has read; nil for a client that does not use it.
    package subscript<Settings: ClientProtocolSettings>(_ type: Settings.Type) -> Settings? {
        get {
            // Asked for each request: a lazy sequence would take memory at each step.
            for settings in protocols { if let settings = settings as? Settings { return settings } }
            return nil
        }
        set {
            protocols.removeAll { $0 is Settings }
            if let newValue { protocols.append(newValue) }
        }
    }

    /// What a protocol has read; nil for a client that does not use it.
    ///
    /// - Parameter id: of the protocol.
    private func settings(of id: String) -> (any ClientProtocolSettings)? { protocols.first { type(of: $0).id == id } }

    /// Whether the client may use the protocol with an id.
    package func uses(_ id: String) -> Bool { settings(of: id) != nil }

    /// Whether the client signs its requests.
    package var signsRequests: Bool { protocols.contains { type(of: $0).signsRequests } }
    /// Whether the client checks tokens that were signed here.
    package var checksTokens: Bool { protocols.contains { type(of: $0).checksTokens } }

    /// Whether the client proves itself with PKCE alone.
    package var isPublic: Bool { protocols.contains { $0.isPublic } }

    /// The protocols that a changed entry does not name any more. One without a secret is no longer the client that had one: who has an
    /// old refresh token would need nothing else.
    package func protocolsLost(by changed: Client) -> [String] {
        protocols.map { type(of: $0).id }.filter { !changed.uses($0) || isPublic != changed.isPublic }
    }

    /// Whether users may make keys for its apps.
    package var takesAppKeys: Bool { protocols.contains { $0.takesAppKeys } }

    /// Whether the client has no secret: it proves itself with PKCE alone, or none of its protocols needs a secret.
    package var hasNoSecret: Bool { isPublic || protocols.haveNoSecret }

    /// Whether the client may have redirect URIs: one that is behind the gate alone has none.
    package var takesRedirectURIs: Bool { protocols.contains { type(of: $0).takesRedirectURIs } }

    /// Whether the client takes messages about the end of sessions.
    ///
    /// - Parameter kind: the protocol of the grant that the session was told by.
    package func takesSignOuts(of kind: String) -> Bool { settings(of: kind)?.signOutAddress != nil }

    /// Whether a request by a protocol needs a code challenge (RFC 7636).
    package func requiresChallenge(by id: String) -> Bool { settings(of: id)?.requiresChallenge ?? false }

    /// Whether the client may have a grant of a protocol at an address. False for a protocol that it does not use.
    package func mayReturn(to address: String, by id: String) -> Bool {
        settings(of: id)?.mayReturn(to: address, of: self) ?? false
    }
}

/// Who may enter a client.
package enum ClientAccess: Sendable, Equatable {
    /// Everyone, because the entry does not say. `idp check` warns about it.
    case unstated
    case everyone
    /// Members of any of these groups. A group that nobody has made lets nobody in.
    case groups([String])
}

/// All registered relying parties: from `IDP_CLIENTS_FILE`, from the `SSO_…` settings, and from the database.
package struct ClientRegistry: Sendable {
    private let byID: [ClientID: Client]
    /// The clients that sign requests, one for each of their secrets.
    private let signers: [(client: Client, secret: Int)]
    private let prepared: PreparedSecrets
    /// In the order of registration.
    package let all: [Client]
    /// Those that clients may use here.
    package let protocols: ClientProtocols

    /// - Parameter problem: receives what is wrong with the clients together: one id twice, one secret for two.
    package init(_ clients: [Client], of protocols: ClientProtocols, problem: (String) -> Void = { _ in }) {
        self.protocols = protocols
        var byID: [ClientID: Client] = [:]
        for client in clients {
            if let other = byID.updateValue(client, forKey: ClientID(text: client.id)) {
                problem(
                    "clients: the id \"\(client.id)\" is registered twice\(Self.places(other, client)). Give each client its own."
                )
            }
        }
        // Found by fingerprint, and compared only where those are equal: 500 clients may have two secrets each.
        var owners: [String: [(index: Int, secret: SharedSecret)]] = [:]
        var reported: Set<[Int]> = []
        for (index, client) in clients.enumerated() {
            for (secret, fingerprint) in zip(client.secrets, client.fingerprints) {
                let others = owners[fingerprint] ?? []
                for other in others where other.index != index && other.secret.isSame(as: secret) {
                    guard reported.insert([other.index, index]).inserted else { continue }
                    // With one secret for two clients either could redeem the other's tokens and forge its requests.
                    problem(
                        "clients: \"\(clients[other.index].id)\" and \"\(client.id)\" have the same secret\(Self.places(clients[other.index], client)). Give each its own."
                    )
                }
                owners[fingerprint] = others + [(index: index, secret: secret)]
            }
        }
        self.byID = byID
        all = clients
        signers = clients.filter(\.signsRequests).flatMap { client in
            client.secrets.indices.map { (client: client, secret: $0) }
        }
        prepared = PreparedSecrets(signers.map { $0.client.secrets[$0.secret] })
    }

    /// `, in /etc/swift-sso/clients.yaml:3 and /etc/swift-sso/clients.yaml:9`, as far as they have one.
    private static func places(_ clients: Client...) -> String {
        let places = clients.compactMap(\.origin.place)
        return places.isEmpty ? "" : ", in \(places.joined(separator: " and "))"
    }

    /// The client that has signed a request which does not say who sent it, with the secret that it used.
    ///
    /// Tries every secret, also after a match, so that the time does not reveal which one it was.
    package func signer(
        of signature: RequestSignature, body: [UInt8], label: MessageLabel
    ) -> (client: Client, secret: SharedSecret, fingerprint: String)? {
        guard let index = prepared.index(of: signature, body: body, label: label) else { return nil }
        let (client, secret) = signers[index]
        return (client, client.secrets[secret], client.fingerprints[secret])
    }

    /// The client with exactly this id.
    package func client(id: String) -> Client? { byID[ClientID(text: id)] }
}

/// An id that equals another only in all bytes: `String` takes the Kelvin sign for a K.
private struct ClientID: Hashable {
    let text: String

    static func == (one: Self, other: Self) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

    func hash(into hasher: inout Hasher) { for byte in text.utf8 { hasher.combine(byte) } }
}
