import Foundation
import IdPAccounts
package import IdPClients
package import SSOShared
package import SSOWeb

/// Why a user signs in: a client's request, the handoff to an app, a change to the account. It waits in the browser's
/// session until the user is signed in, and knows neither the protocol that it came by nor a sign-in method.
///
/// Its id alone identifies it. The purpose that began it reads the payload, and nobody else does.
package struct Flow: Codable, Sendable {
    package let id: FlowID
    /// The ``FlowPurpose/id`` of what it is for.
    package let purpose: String
    /// Who asked, in the purpose's own terms: the id of a client, the name of an app, the id of an account.
    package let subject: String
    /// Where the browser goes in the end; empty where it stays here.
    package let returnTo: String
    package let demand: Demand
    /// The purpose's own request, as text. It is read with the session's flows, so it is short.
    package let payload: String
    package let begunAt: Timestamp
    let replayKey: Data?

    /// What a sign-in must be like to do for a flow.
    package struct Demand: Codable, Sendable {
        /// The user must have been authenticated at this moment or later; nil when any sign-in will do.
        package let since: Timestamp?
        /// The address to fill into the sign-in form. Never logged.
        package let loginHint: String?
        /// The id of the only account that the flow may end with; nil when any will do, and in flows of earlier versions.
        package let account: String?
        /// The strength that the sign-in must have at least; nil when any will do, and in flows of earlier versions.
        package let strength: Strength?

        package init(
            since: Timestamp? = nil, loginHint: String? = nil, account: String? = nil, strength: Strength? = nil
        ) {
            (self.since, self.loginHint, self.account, self.strength) = (since, loginHint, account, strength)
        }

        /// Whether not every sign-in will do.
        var needsNewSignIn: Bool { since != nil || strength != nil }

        /// Whether a sign-in will do.
        func isMet(by signIn: CurrentSignIn.SignIn) -> Bool {
            signIn.proofs.strength.isEnough(at: signIn.provenAt, for: strength ?? .any, since: since)
        }
    }

    /// What a purpose asks for.
    package struct Request: Sendable {
        let purpose, subject, returnTo: String
        let demand: Demand
        let replayKey: Data?
        let payload: String

        /// - Parameters:
        ///   - replayKey: equal for two requests that are the same one, such as a page that was reloaded; nil where the
        ///     protocol has no such value, so that no request is the same as another.
        ///   - payload: at most 5 KiB.
        package init(
            purpose: String, subject: String, returnTo: String = "", demand: Demand = Demand(),
            replayKey: [UInt8]? = nil, payload: String = ""
        ) {
            (self.purpose, self.subject, self.returnTo, self.demand) = (purpose, subject, returnTo, demand)
            (self.replayKey, self.payload) = (replayKey.map { Data($0) }, payload)
        }
    }

    init(_ request: Request, id: FlowID, begunAt: Timestamp) {
        (self.id, self.begunAt, purpose, subject) = (id, begunAt, request.purpose, request.subject)
        (returnTo, demand, replayKey, payload) = (
            request.returnTo, request.demand, request.replayKey, request.payload
        )
    }

    /// At least as many bytes as the flow has in a stored session.
    var storedLength: Int {
        // The names of the members, the id, both moments, and the key in base64.
        let texts = [purpose, subject, returnTo, payload, demand.loginHint ?? "", demand.account ?? ""]
        return texts.reduce(256 + 2 * (replayKey?.count ?? 0)) { $0 + JSONText.length(of: $1) }
    }

    /// What the log calls it. The same for two requests that are the same one.
    package var logID: String { FlowLogID.name(digest: replayKey.map { Array($0) } ?? id.digest) }
}

/// What is kept of an ended flow. No grant can be issued from it.
package struct EndedFlow: Codable, Sendable {
    package let id: FlowID
    package let purpose, subject, returnTo: String
    /// ``Flow/logID``.
    let logID: String
    /// The user has signed in for it, and it led on. False for one that expired, was cancelled or was pushed out.
    let isCompleted: Bool
    /// ``Flow/Demand/account``.
    package let account: String?
    /// ``Flow/Demand/strength``: what comes back to the flow must be as strong as what it was begun for.
    package let strength: Strength?

    package init(_ flow: Flow, isCompleted: Bool = false) {
        (id, purpose, subject, returnTo) = (flow.id, flow.purpose, flow.subject, flow.returnTo)
        (logID, self.isCompleted) = (flow.logID, isCompleted)
        (account, strength) = (flow.demand.account, flow.demand.strength)
    }

    private init(usedUp flow: EndedFlow) {
        (id, purpose, subject, returnTo) = (flow.id, flow.purpose, flow.subject, flow.returnTo)
        (logID, isCompleted) = (flow.logID, false)
        (account, strength) = (flow.account, flow.strength)
    }

    /// At least as many bytes as it has in a stored session.
    var storedLength: Int {
        [purpose, subject, returnTo, logID, account ?? ""].reduce(128) { $0 + JSONText.length(of: $1) }
    }

    /// The same, once it has led on for the last time.
    var usedUp: EndedFlow { EndedFlow(usedUp: self) }
}

/// The id of a flow in links and forms. It names a place in the browser's own session, so it is not a secret.
package struct FlowID: Sendable, Hashable {
    /// Bytes of ``text``.
    package static let length = 22

    package let text: String

    /// Nil for text that does not have the shape of an id made here.
    package init?(_ text: String) {
        guard Base64URL.decode(text)?.count == 16 else { return nil }
        self.text = text
    }

    package init(randomness: any Randomness) throws {
        let bytes = try randomness.bytes(16)
        guard bytes.count == 16 else { throw RandomnessError() }
        text = Base64URL.encode(bytes)
    }

    /// - Parameter bytes: 16 of them.
    init(bytes: [UInt8]) { text = Base64URL.encode(bytes) }

    package static func read(_ fields: URLEncodedFields) -> FlowID? {
        ((try? fields.text("flow")) ?? nil).flatMap(FlowID.init)
    }

    /// `path` with the flow in its query, if there is one.
    package static func path(_ path: String, _ flow: FlowID?) -> String {
        flow.map { "\(path)?flow=\($0.text)" } ?? path
    }

    /// Gives up a sign-in and takes the user back.
    package static let cancelPath = SignInPath.cancel

    /// The link of a page that gives the flow up.
    package var cancel: String { Self.path(Self.cancelPath, self) }

    package var digest: [UInt8] { SHA256.hash(Array(text.utf8)) }
}

extension FlowID: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = FlowID(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not the id of a flow")
        }
        self = id
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// What the log calls a flow, from the visit that begins it to the client's verification: 12 characters of a hash.
package enum FlowLogID {
    package static func name(digest: [UInt8]) -> String { Base64URL.encode(digest.prefix(9)) }
}

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

    /// The registered client of an id.
    func client(id: String) -> Client? { clients.client(id: id) }

    package func newID(of client: String, _ randomness: any Randomness) throws -> FlowID {
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
    package func noSuchFlow(_ flow: FlowID?, hasCookies: Bool = true) -> PublicError {
        FlowError.noSuchFlow(leadingTo: wayBack(of: flow) ?? .home, hasCookies: hasCookies)
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
