package import Hummingbird
package import IdPAccounts
import IdPClients
import SSOShared
import SSOWeb
import Storage

/// How a client protocol answers a browser whose user may enter the client.
package enum ClientAnswer: Sendable {
    /// With something that the client redeems.
    case grant(GrantKind, @Sendable (NewGrant, ClientRequest, SignedInUser, Request) throws -> Response)
    /// Through the browser alone: the answer itself tells the client who the user is. Nothing is redeemed, so the user counts as
    /// signed in at the client at once.
    case now(@Sendable (Entrance, ClientRequest, SignedInUser, Request) throws -> Response)

    /// What the client may be told beside the account.
    package struct Entrance: Sendable {
        /// The session as the client was told it first (``ClientSignIn/toldSession``).
        package let session: String
        /// Those that the client may know; nil for a client that is told none.
        package let groups: [String]?
        /// Whether the user has just signed in for this request, or chosen an account.
        package let hasAsked: Bool
    }

    /// The answer to the client of one request, as it is registered now.
    typealias Made = @Sendable (ClientRequest, Request) throws -> Response
}

extension Authorizer {
    /// What an answer needs before the transaction, which may run again.
    enum PreparedAnswer: Sendable {
        case grant(
            GrantKind, secret: (wire: String, digest: [UInt8]),
            @Sendable (NewGrant, ClientRequest, SignedInUser, Request) throws -> Response)
        case now(@Sendable (ClientAnswer.Entrance, ClientRequest, SignedInUser, Request) throws -> Response)

        init(_ answer: ClientAnswer, _ randomness: any Randomness) throws {
            switch answer {
            case .grant(let kind, let answer): self = .grant(kind, secret: try kind.make(randomness), answer)
            case .now(let answer): self = .now(answer)
            }
        }
    }

    /// Notes that the user has entered the client, for a protocol without a grant.
    func enter(
        _ client: Client, _ user: SignedInUser, _ asked: Asked, hasAsked: Bool, flow: String, _ audit: RequestAudit?,
        _ connection: any SQLConnection
    ) throws -> ClientAnswer.Entrance {
        let told = try ClientSignIns().enter(
            user.session.handle, kind: asked.purpose, client: client.id, account: user.account.id, at: clock.now(),
            connection)
        try audit?.record(asked.event(.tokenRedeemed, of: user, flow: flow), connection)
        return ClientAnswer.Entrance(
            session: told, groups: try client.groupsTold(of: user.account.id, connection), hasAsked: hasAsked)
    }
}
