import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
public import SSOClient
import SSOShared
public import SSOWeb

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
    /// The id of the session at the identity provider. Without one nothing is asked about the session.
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

extension Timestamp {
    /// For the values of SSOShared.
    var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    init(_ date: Date) { self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded())) }
}
