import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
public import SSOShared
public import SSOWeb
import Storage
import ThisBuild

/// The session slot of the user who is signed in: what the identity provider said at the sign-in. Only a browser that has
/// signed in has a session.
struct SignedInUser: SessionSlot, Equatable {
    static let key = "user"
    static let survivesSignIn = false

    /// The stable id of the identity provider: the key for rows of a relying party. Empty when nobody is signed in.
    var id = ""
    var email = ""
    var name = ""
    /// When this session began.
    var signedInAt = Timestamp(milliseconds: 0)
    /// The sign-in methods, for pages that require more.
    var methods: [String] = []
    /// The id of the session at the identity provider. Nil in a session that an older version began.
    var sessionID: String?
    /// When the user signed in at the identity provider, in seconds since 1970. Nil when it does not say: then no page may
    /// count the sign-in as fresh.
    var authenticatedAt: Int?
    /// Nil where the identity provider names none to this service.
    var groups: [String]?
    /// When the identity provider last said that its session holds: at first at the sign-in. Nil in a session that an older
    /// version began.
    var checkedAt: Timestamp?

    /// ``authenticatedAt`` for people. Nil also for a moment that no calendar has.
    var authenticatedMoment: Timestamp? {
        guard let authenticatedAt, (0..<253_402_300_800).contains(authenticatedAt) else { return nil }
        return Timestamp(milliseconds: Int64(authenticatedAt) * 1000)
    }
}

/// The session slot of the sign-ins that led here, so that a reload of the callback leads to the page.
extension PendingSignIns: SessionSlot {
    public static let key = "pending"
    public static let survivesSignIn = false
}

extension VisitorContext {
    /// The user who sent the request; nil for a visitor.
    var user: SignedInUser? {
        guard let user = session?[SignedInUser.self], !user.id.isEmpty else { return nil }
        return user
    }
}

/// What every request carries.
struct VisitorContext: SessionRequestContext {
    var coreContext: CoreRequestContextStorage
    let peer: SocketAddress?
    let reference = RequestReference()
    var unservedMethod: HTTPRequest.Method?
    var session: Session?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        peer = source.channel.remoteAddress
        addReferenceToLog()
    }
}

/// The tables: sessions, used states, and sign-out messages that were seen. A real relying party adds its own, with users keyed by the identity provider's user
/// id. An e-mail address is not a key: it may later belong to another user.
enum RelyingPartyMigrations {
    static let all = steps.map { $0.written(by: ThisBuild.stamp.version) }

    private static let steps: [Migration] = [
        Migration(name: "v001-session", sql: SessionStore.schema),
        // Only a name: without it either program would take the other's database for an older one of its own.
        Migration(name: "v002-relying-party", sql: []),
        Migration(name: "v003-used-state", sql: UsedStateStore.schema),
        Migration(name: "v004-session-visitor", sql: SessionStore.visitorSchema),
        Migration(name: "v005-session-app", sql: SessionStore.appSchema),
        Migration(name: "v006-sign-out", sql: SignOutStore.schema),
        .keepsVersions(name: "v007-step-version"),
        Migration(name: "v008-session-remembered", sql: SessionStore.rememberedSchema),
    ]

    /// Every table but that of the migrations, for a copy to another database.
    static let tables = ["session", "used_state", "seen_sign_out"]
}

extension Timestamp {
    /// For the values of SSOShared.
    var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    init(_ date: Date) { self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded())) }
}
