package import IdPClients
package import IdPSignOut
package import Logging
package import SSOWeb
package import Storage

/// One app in which a user is signed in: its access token, the session of its web view, or both.
package struct AppDevice: Sendable {
    /// Names it in lists. Not a secret.
    package let id: String
    /// The access token's row; nil for an app that has a session only.
    let token: AccessTokenStore.Entry?
    /// The session of the web view; nil when it has ended.
    package let session: AppSessionEntry?
    package let createdAt: Timestamp
    package let usedAt: Timestamp

    /// - Returns: nil without either.
    init?(token: AccessTokenStore.Entry?, session: AppSessionEntry?) {
        guard let id = token?.id ?? session?.handle,
            let createdAt = [token?.createdAt, session?.createdAt].compactMap(\.self).min(),
            let usedAt = [token?.usedAt, session?.seenAt].compactMap(\.self).max()
        else { return nil }
        (self.id, self.token, self.session, self.createdAt, self.usedAt) = (id, token, session, createdAt, usedAt)
    }

    /// Of the web view: of the session, and of what the token was issued with.
    var sessionHandles: Set<String> { Set([session?.handle, token?.sessionHandle].compactMap(\.self)) }

    /// The name that the app gave, or the kind of device.
    package func name(in texts: Texts) -> String {
        token?.device ?? texts.plain((DeviceKind(rawValue: session?.device ?? "") ?? .unknown).name)
    }
}

/// The apps of a user, for the home page and the JSON API.
package struct AppDevices: Sendable {
    let tokens: AccessTokenStore
    let sessions: SessionStore
    let signOuts: SignOuts

    package init(tokens: AccessTokenStore, sessions: SessionStore, signOuts: SignOuts) {
        (self.tokens, self.sessions, self.signOuts) = (tokens, sessions, signOuts)
    }

    /// Newest first.
    package func all(of account: Account) async throws -> [AppDevice] {
        try await tokens.database.read { connection in try all(of: account, connection) }
    }

    /// The same, in the caller's read.
    package func all(of account: Account, _ connection: any SQLConnection) throws -> [AppDevice] {
        let sessions = try sessions.appSessions(of: account.id, connection)
        let tokens = try tokens.entries(of: account, connection)
        let withToken = tokens.map { token in
            AppDevice(token: token, session: sessions.first { $0.handle == token.sessionHandle })
        }
        let handles = Set(tokens.map(\.sessionHandle))
        let sessionOnly = sessions.filter { !handles.contains($0.handle) }.map { AppDevice(token: nil, session: $0) }
        return (withToken + sessionOnly).compactMap(\.self).sorted { ($1.createdAt, $1.id) < ($0.createdAt, $0.id) }
    }

    /// Ends a session, and the access token of the app whose web view had it.
    ///
    /// - Parameters:
    ///   - account: the one that is signed in, if any.
    ///   - further: fields of the line in the log.
    package func end(
        _ session: Session, of account: Account?, _ audit: RequestAudit?, _ further: Logger.Metadata = [:]
    ) async throws {
        try await tokens.database.write { connection in
            let actor = account.map { AuditActor.user($0.id) } ?? .visitor
            let event = Event(.signedOut, by: actor, account: account?.id, session: session.handle, further)
            try audit?.record(account == nil ? event.only(in: .log) : event, connection)
            try sessions.end(session, connection)
            try tokens.end(session: session.handle, connection)
            try signOuts.end(.one(session.handle), .signedOut, by: actor, audit, connection)
        }
    }

    /// Signs an app of this user out: its token and the session of its web view.
    ///
    /// - Parameter event: what the log calls it.
    /// - Returns: nil if the user has no such app.
    package func end(
        _ id: String, of account: Account, _ audit: RequestAudit?, as event: EventKind = .appSignedOut
    ) async throws -> AppDevice? {
        try await end(of: account, audit, as: event) { $0.id.utf8.elementsEqual(id.utf8) }.first
    }

    /// Signs the apps of a user out that `chosen` names.
    @discardableResult package func end(
        of account: Account, _ audit: RequestAudit?, as event: EventKind = .appSignedOut,
        where chosen: @escaping @Sendable (AppDevice) -> Bool
    ) async throws -> [AppDevice] {
        try await tokens.database.write { connection in
            let ended = try all(of: account, connection).filter(chosen)
            for device in ended {
                // The sign-out of a session that has ended by time has its name in the line.
                try audit?.record(
                    Event(
                        event, by: .user(account.id), account: account.id, session: device.session?.handle,
                        detail: device.id, device.token.map { ["session": "\($0.sessionHandle)"] } ?? [:]), connection)
                if let token = device.token { try tokens.end(id: token.id, connection) }
                if let session = device.session {
                    _ = try sessions.endAppSession(handle: session.handle, of: account.id, connection)
                }
                // The session of a token's web view may have ended by time. Its clients are told now.
                for handle in device.sessionHandles {
                    try signOuts.end(.one(handle), .signedOut, by: .user(account.id), audit, connection)
                }
            }
            return ended
        }
    }
}
