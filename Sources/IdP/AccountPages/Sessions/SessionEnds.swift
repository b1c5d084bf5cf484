import IdPAccounts
import IdPClients
import IdPFlow
import IdPSignOut
import SSOShared
import SSOWeb

/// `POST /sessions/end`: ends one browser or app of the list. One that is not in it has ended already: the button was pressed twice.
struct SessionEnd: WaitingChange {
    struct Asked: Codable, Sendable {
        /// ``UserSession/id``.
        let session: String
    }

    static let id = "session_end"
    static let path = "/sessions/end"
    static let home = SessionsPurpose.path
    static let needs = Proof.Need.anySignIn

    let devices: AppDevices
    let clock: ServiceClock

    func asked(in fields: URLEncodedFields) throws -> Asked { Asked(session: try fields.text("session") ?? "") }

    func carryOut(_ asked: Asked, for user: SignedInUser, _ context: VisitorContext) -> ChangeStep {
        .here { user, slots, connection in
            let own = user.session.handle
            let ended = try devices.endSession(
                asked.session, of: user.account, by: .user(user.account.id), own: own, connection
            ) { try context.audit?.record($0, connection) }
            slots[SessionsNotice.self].endedAt = ended == nil ? nil : clock.now()
            guard let ended else { return .done(goingTo: Self.home) }
            return .done(goingTo: Self.home, endingSession: ended.handles.contains(own))
        }
    }
}

/// `POST /sessions/end-others`: ends every browser and app of the user but this one.
struct OtherSessionsEnd: WaitingChange {
    struct Asked: Codable, Sendable {
        /// Whether the keys of the user's apps end, too. They are not signed out otherwise.
        let endsKeys: Bool
    }

    static let id = "other_sessions_end"
    static let path = "/sessions/end-others"
    static let home = SessionsPurpose.path
    static let needs = Proof.Need.anySignIn

    let accounts: AccountStore
    let tokens: AccessTokenStore
    let clock: ServiceClock

    func asked(in fields: URLEncodedFields) throws -> Asked { Asked(endsKeys: try fields.text("keys") == "yes") }

    func carryOut(_ asked: Asked, for user: SignedInUser, _ context: VisitorContext) -> ChangeStep {
        .here { user, slots, connection in
            try user.endOthers(.endedElsewhere, &slots, accounts, tokens, context.audit, connection)
            if asked.endsKeys {
                for key in try AppKeyStore.end(.allOfAccount(user.account.id), connection) {
                    try context.record(
                        key.event(.appKeyEnded, by: .user(user.account.id), cause: "user"), connection)
                }
            }
            slots[SessionsNotice.self].endedAt = clock.now()
            return .done(goingTo: Self.home)
        }
    }
}

/// The session slot of what the list of sessions says first: that the change was made. Not in the address, which can be sent to
/// others and is loaded again.
struct SessionsNotice: SessionSlot {
    static let key = "sessionsNotice"
    static let survivesSignIn = false
    private static let shown: Duration = .seconds(10)

    /// When the last session was ended from this one. Nil if the last button ended none.
    var endedAt: Timestamp?

    /// Whether the change was made just now.
    func isShown(at now: Timestamp) -> Bool { endedAt.map { now - $0 < Self.shown } ?? false }
}
