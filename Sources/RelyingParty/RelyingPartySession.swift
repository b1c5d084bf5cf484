import Foundation
import Hummingbird
import NIOCore
import SSOShared
import SSOWeb

/// What a session of the relying party holds. Only signed-in browsers have one.
struct RelyingPartySession: SessionSlots {
    /// The sign-ins that led here. Earlier versions also kept open ones here, under this name.
    var pending = PendingSignIns()
    var user: User?

    /// What the identity provider said about the user at the sign-in.
    struct User: Codable, Sendable {
        /// The stable id of the identity provider: the key for rows of a relying party.
        let id: String
        let email: String
        let name: String
        let signedInAt: Timestamp
        /// The sign-in methods, for pages that require more.
        let methods: [String]
    }
}

/// What every request carries.
struct VisitorContext: SessionRequestContext {
    var coreContext: CoreRequestContextStorage
    let peer: SocketAddress?
    let reference = RequestReference()
    var session: Session<RelyingPartySession>?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        peer = source.channel.remoteAddress
        nameLogLines()
    }
}

/// The tables: sessions and used states. A real relying party adds its own, with users keyed by the identity provider's user
/// id. An e-mail address is not a key: it may later belong to another user.
enum RelyingPartyMigrations {
    static let all: [Migration] = [
        Migration(name: "v001-session", sql: SessionStore<RelyingPartySession>.schema),
        // Only a name: without it either program would take the other's database for an older one of its own.
        Migration(name: "v002-relying-party", sql: []),
        Migration(name: "v003-used-state", sql: UsedStateStore.schema),
        Migration(name: "v004-session-visitor", sql: SessionStore<RelyingPartySession>.visitorSchema),
    ]
}

extension Timestamp {
    /// For the values of SSOShared.
    var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
