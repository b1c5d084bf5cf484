import IdPSignOut
package import SSOWeb
package import Storage

/// One browser or app in which a user is signed in.
package struct UserSession: Sendable {
    /// Names it in lists: the ``Session/handle`` of a browser's session, or the ``AppDevice/id``. Not a secret.
    package let id: String
    /// The sessions that clients know it by.
    package let handles: Set<String>
    /// The ``AppDevice``; nil for a browser.
    package let app: AppDevice?
    /// The ``BrowserDevice`` as it is stored; nil where it is not known.
    package let device: String?
    package let network: String?
    package let createdAt: Timestamp
    package let usedAt: Timestamp
    /// Until when the user of a browser asked to stay signed in; nil for any other.
    package let rememberedUntil: Timestamp?

    /// The name that an app gave, or browser and system.
    package func name(in texts: Texts) -> String {
        app?.name(in: texts) ?? BrowserDevice(stored: device).name(in: texts)
    }
}

extension AppDevices {
    /// The browsers and apps in which a user is signed in, the one used last first.
    ///
    /// - Parameters:
    ///   - limit: how many sessions are read, those used last.
    ///   - own: the handle of a session that is there in any case.
    package func userSessions(
        of account: Account, limit: Int = 500, with own: String? = nil, _ connection: any SQLConnection
    ) throws -> [UserSession] {
        try userSessionPage(of: account, limit: limit, with: own, connection).all
    }

    /// One page of the list.
    package struct UserSessionPage: Sendable {
        /// The one used last first. Those whose sign-in was ended with all of its account's are left out.
        package let all: [UserSession]
        /// Where the next page begins; nil on the last one.
        package let next: SessionPosition?
    }

    /// As ``userSessions(of:limit:with:_:)``, page by page. The apps are on the first one: there are few of them.
    ///
    /// - Parameter position: ``UserSessionPage/next`` of the page before; nil for the first one.
    package func userSessionPage(
        of account: Account, limit: Int, after position: SessionPosition? = nil, with own: String? = nil,
        _ connection: any SQLConnection
    ) throws -> UserSessionPage {
        // One more shows whether there is another page.
        var entries = try sessions.entries(of: account.id, limit: limit + 1, after: position, connection)
        let next = entries.count > limit ? entries[limit - 1].position : nil
        entries = Array(entries.prefix(limit))
        if let own, position == nil, next != nil, !entries.contains(where: { $0.handle == own }),
            let entry = try sessions.entry(own, connection)
        {
            entries.append(entry)
        }
        let apps = try position == nil ? all(of: account, connection) : []
        let listedApps = apps.map { app in
            let entry = entries.first { $0.handle == app.session?.handle }
            return UserSession(
                id: app.id, handles: app.sessionHandles, app: app, device: entry?.device, network: entry?.network,
                createdAt: app.createdAt, usedAt: app.usedAt, rememberedUntil: nil)
        }
        let browsers = entries.filter { entry in
            // Its sign-in may have been ended with all of its account's. One that was asked for by its handle may be another's.
            let signIn = entry.slots[CurrentSignIn.self].signIn
            return !entry.isApp && signIn?.accountID == account.id && signIn?.accountSignOuts == account.signOuts
        }.map { entry in
            UserSession(
                id: entry.handle, handles: [entry.handle], app: nil, device: entry.device, network: entry.network,
                createdAt: entry.createdAt, usedAt: entry.seenAt, rememberedUntil: entry.rememberedUntil)
        }
        return UserSessionPage(
            all: (listedApps + browsers).sorted { ($1.usedAt, $1.id) < ($0.usedAt, $0.id) }, next: next)
    }

    /// Ends one browser's or app's sign-in of a user, and tells the clients, in the caller's transaction.
    ///
    /// - Parameter own: the handle of the session that asks for it; nil for a command.
    /// - Returns: what has ended; nil if the user has no such session.
    package func endSession(
        _ id: String, of account: Account, by actor: AuditActor, own: String? = nil, _ connection: any SQLConnection,
        audit record: (Event) throws -> Void
    ) throws -> UserSession? {
        // Of the browsers the one with this id is enough: the writer waits, and a user may have any number of them.
        let found = try userSessions(of: account, limit: 1, with: id, connection)
            .first { $0.id.utf8.elementsEqual(id.utf8) }
        guard let found else { return nil }
        if let token = found.app?.token { try tokens.end(id: token.id, connection) }
        let isOwn = own.map(found.handles.contains) ?? false
        if isOwn {
            // The log calls it by the button that was pressed.
            let signedOut = Event(.signedOut, by: actor, account: account.id, session: own, detail: found.app?.id)
            try record(signedOut.only(in: .auditLog))
            let ended = Event(
                .sessionEnded, account: account.id, session: own, cause: SignOutCause.endedElsewhere.rawValue)
            try record(ended.only(in: .log))
        }
        for handle in found.handles.sorted() {
            _ = try sessions.end(handle: handle, of: account.id, connection)
            try signOuts.end(
                .one(handle), isOwn ? .signedOut : own == nil ? .byOperator : .endedElsewhere, by: actor, connection,
                audit: record)
        }
        return found
    }
}
