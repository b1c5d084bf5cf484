package import IdPClients
package import SSOShared
package import SSOWeb

/// Makes the ids of clients' flows so that each names its client, to this program alone.
///
/// An address with a flow is often opened where the session is not: in another browser, by a program that follows redirects itself,
/// after the session has ended. The page can still lead back to the client then. The last bytes of an id are a keyed hash of its
/// random ones and of the client's id: nothing can be read from them, and one that was changed names no client.
package struct FlowClients: Sendable {
    private static let randomBytes = 10

    private let clients: ClientDirectory
    private let keys: [PreparedHMACKey]

    package init(keys: DerivedKeys, clients: ClientDirectory) {
        (self.keys, self.clients) = (keys.derive("flow-client").map(PreparedHMACKey.init), clients)
    }

    func newID(of client: String, _ randomness: any Randomness) throws -> FlowID {
        var bytes = try randomness.bytes(16)
        guard bytes.count == 16, let key = keys.first else { throw RandomnessError() }
        bytes.replaceSubrange(Self.randomBytes..., with: Self.tag(of: bytes, client, key))
        return FlowID(bytes: bytes)
    }

    /// The registered client that an id was made for; nil for any other id.
    func client(of flow: FlowID?) -> Client? {
        guard let bytes = flow.flatMap({ Base64URL.decode($0.text) }), bytes.count == 16 else { return nil }
        let tag = Array(bytes.dropFirst(Self.randomBytes))
        return clients.all.first { client in
            keys.contains { ConstantTime.equal(Array(Self.tag(of: bytes, client.id, $0)), tag) }
        }
    }

    /// The page for a flow that is not in this browser. It leads back to the client that the id names.
    package func noSuchFlow(_ flow: FlowID?) -> PublicError {
        wayBack(of: flow).map(FlowError.noSuchFlow(leadingTo:)) ?? FlowError.noSuchFlow
    }

    /// The link to the client that an id names, to start again there. Nil for any other id, and where the client has no page.
    func wayBack(of flow: FlowID?) -> PublicError.NextStep? {
        guard let client = client(of: flow), let start = client.startPage() else { return nil }
        return .init(label: Text("error.flow-over.again", ["client": client.name]), href: start)
    }

    /// The last bytes of an id with these first ones.
    private static func tag(of bytes: [UInt8], _ client: String, _ key: PreparedHMACKey) -> ArraySlice<UInt8> {
        var message: [UInt8] = []
        message.reserveCapacity(randomBytes + client.utf8.count)
        message += bytes.prefix(randomBytes)
        message += client.utf8
        return key.code(for: message).prefix(16 - randomBytes)
    }
}
