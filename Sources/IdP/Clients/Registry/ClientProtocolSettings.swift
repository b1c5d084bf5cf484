/// What one client protocol reads from a client's entry, and what that means for the client. Each protocol brings its own.
package protocol ClientProtocolSettings: Sendable {
    /// The id of the protocol: the key `protocols` has it, and grants and sign-ins are stored with it. Never changes.
    static var id: String { get }
    /// The keys that only this protocol has, in the order in which an entry is written.
    static var keys: [ClientKeyDescription] { get }
    /// What the IdP adds to the query of a redirect URI.
    static var callbackFields: [String] { get }
    /// Whether a client needs `redirect_uris`.
    static var needsRedirectURIs: Bool { get }
    /// Whether a client may have `redirect_uris`, needed or not.
    static var takesRedirectURIs: Bool { get }
    /// The key of the address without which there is no client: a form of a new one asks for it.
    static var addressKey: String { get }
    /// Whether declared proxies alone are answered about a client.
    static var needsTrustedProxies: Bool { get }
    /// Whether a client needs a secret. One has none where none of its protocols needs one.
    static var needsSecret: Bool { get }
    /// Whether a client of this protocol alone may have an id with capitals, `.` and `_`: apps bring theirs along.
    static var takesIDsOfApps: Bool { get }
    /// Whether the client signs its requests with its secrets (``ClientRegistry/signer(of:body:label:)``).
    static var signsRequests: Bool { get }
    /// Whether the client checks tokens that were signed here, with the published keys.
    static var checksTokens: Bool { get }
    /// Whether a message about all sessions of a user names each one that the client was told.
    static var namesEachSession: Bool { get }

    /// Nil after a problem.
    init?(_ reader: ClientKeyReader)

    /// Whether the client has no secret, and proves itself with PKCE alone.
    var isPublic: Bool { get }
    /// Whether each request needs a code challenge (RFC 7636).
    var requiresChallenge: Bool { get }
    /// Where messages about the end of sessions go; nil for a client that takes none.
    var signOutAddress: String? { get }
    /// Where the browser may go back to beside the redirect URIs, such as after a sign-out.
    var returnAddresses: [String] { get }
    /// Whether users may make keys for the client's apps.
    var takesAppKeys: Bool { get }
    /// Where users start, for a client without `start_url` and redirect URIs.
    var startPage: String? { get }
    /// What `idp client show` prints: the name of each row, and its values.
    var shown: [(name: String, values: [String])] { get }
    /// What to paste into the client's own settings, each text with the name of its file where there are several.
    ///
    /// - Parameters:
    ///   - secret: nil for a client without one.
    ///   - issuer: the public address here.
    ///   - program: where a proxy finds the program.
    func lines(
        for client: Client, secret: String?, issuer: String, program: String
    ) -> [(file: String?, text: String)]
    /// Whether a grant may be taken to an address that a request names.
    func mayReturn(to address: String, of client: Client) -> Bool
}

extension ClientProtocolSettings {
    package static var callbackFields: [String] { [] }
    package static var needsRedirectURIs: Bool { true }
    package static var takesRedirectURIs: Bool { true }
    package static var addressKey: String { "redirect_uris" }
    package static var needsTrustedProxies: Bool { false }
    package static var needsSecret: Bool { true }
    package static var takesIDsOfApps: Bool { false }
    package static var signsRequests: Bool { false }
    package static var checksTokens: Bool { false }
    package static var namesEachSession: Bool { false }
    package func lines(
        for client: Client, secret: String?, issuer: String, program: String
    ) -> [(file: String?, text: String)] {
        let password = secret.map { "client_secret=\($0)\n" } ?? ""
        return [(nil, "issuer=\(issuer)\nclient_id=\(client.id)\n\(password)")]
    }
    package var isPublic: Bool { false }
    package var requiresChallenge: Bool { false }
    package var signOutAddress: String? { nil }
    package var returnAddresses: [String] { [] }
    package var takesAppKeys: Bool { false }
    package var startPage: String? { nil }
    package var shown: [(name: String, values: [String])] { [] }
    package func mayReturn(to address: String, of client: Client) -> Bool { client.hasRedirectURI(address) }
}

extension [any ClientProtocolSettings] {
    /// Whether none of the protocols of a client needs a secret.
    var haveNoSecret: Bool { !isEmpty && allSatisfy { !type(of: $0).needsSecret } }
}

/// The client protocols that the program has.
package struct ClientProtocols: Sendable {
    /// The first is that of a client whose entry names none.
    package let all: [any ClientProtocolSettings.Type]

    package init(_ all: [any ClientProtocolSettings.Type]) { self.all = all }

    package var ids: [String] { all.map { $0.id } }

    /// Every key of an entry but `secrets`, in the order in which an entry is written.
    package var entryKeys: [String] {
        func names(_ protocols: some Sequence<any ClientProtocolSettings.Type>) -> [String] {
            protocols.flatMap { $0.keys.map(\.name) }
        }
        return [
            "id", "name", "redirect_uris", "logo", "start_url", "access", "groups", "expose_groups", "contact",
            "hidden", "require",
        ] + names(all.prefix(1)) + ["protocols"] + names(all.dropFirst()) + ["allow_private_http"]
    }

    /// A key of one of them; nil for another one.
    package func key(_ name: String) -> ClientKeyDescription? {
        all.lazy.flatMap { $0.keys }.first { $0.name == name }
    }

    /// Whether a client needs redirect URIs that lists these protocols, or none.
    package func needRedirectURIs(_ listed: [String]) -> Bool {
        let used = all.filter { listed.contains($0.id) }
        return used.isEmpty || used.contains { $0.needsRedirectURIs }
    }

    /// Whether a client may have redirect URIs that lists these protocols, or none.
    package func takeRedirectURIs(_ listed: [String]) -> Bool {
        let used = all.filter { listed.contains($0.id) }
        return used.isEmpty || used.contains { $0.takesRedirectURIs }
    }

    /// Whether a client has no secret that lists these protocols.
    package func haveNoSecret(_ listed: [String]) -> Bool {
        let used = all.filter { listed.contains($0.id) }
        return !used.isEmpty && used.allSatisfy { !$0.needsSecret }
    }

    /// Whether messages of a protocol about all sessions of a user name each one.
    package func nameEachSession(_ id: String) -> Bool { all.contains { $0.id == id && $0.namesEachSession } }
}
