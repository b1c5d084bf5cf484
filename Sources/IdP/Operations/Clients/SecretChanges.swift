package import IdPClients
package import Logging
package import SSOShared
package import SSOWeb
package import Storage

/// Gives a client a new secret. The one of before verifies on until its time is over.
package struct RotateSecret: OperatorChange {
    private let id: String
    private let secret: SharedSecret
    private let endsAfter: Duration
    private let box: ClientSecretBox
    private let registrar: ClientRegistrar

    package init(
        _ id: String, to secret: SharedSecret, endingAfter endsAfter: Duration, _ box: ClientSecretBox,
        _ registrar: ClientRegistrar
    ) {
        (self.id, self.secret, self.endsAfter) = (id, secret, endsAfter)
        (self.box, self.registrar) = (box, registrar)
    }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<ClientView> {
        let client = try registrar.client(id, connection)
        guard client.current != nil else {
            throw ChangeError("the client \(id) is public: it has no secret, and uses PKCE.")
        }
        if let previous = client.previous {
            throw ChangeError(
                "the client \(id) has two secrets already. End the previous one (\(previous.fingerprint)) first: idp client retire \(id)"
            )
        }
        let fingerprint = secret.fingerprint
        try registrar.checkUnused(fingerprint, connection)
        if let current = client.current {
            try registrar.store.replace(current, at: context.now, endsAfter: endsAfter, connection)
        }
        try registrar.store.insert(
            try box.seal(secret, of: id), SecretName(client: id, fingerprint: fingerprint), at: context.now, connection)
        try registrar.commit([Event(.clientSecretAdded, client: id, detail: fingerprint)], context, connection)
        return try registrar.changed(id, true, connection)
    }
}

/// Takes a rotation back while nobody has used the new secret.
package struct CancelRotation: OperatorChange {
    private let id: String
    private let registrar: ClientRegistrar

    package init(_ id: String, _ registrar: ClientRegistrar) { (self.id, self.registrar) = (id, registrar) }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<ClientView> {
        let client = try registrar.client(id, connection)
        guard let previous = client.previous, let current = client.current else {
            return try registrar.changed(id, false, connection)
        }
        if let use = try registrar.store.use(of: current.name, connection) {
            throw ChangeError(
                "the new secret of \(id) (\(current.fingerprint)) is in use since \(PlainDate.rfc3339(use.first)). End the previous one instead: idp client retire \(id)"
            )
        }
        try registrar.store.delete(current.name, at: context.now, connection)
        try registrar.store.replace(previous, at: nil, endsAfter: .zero, connection)
        try registrar.commit([.ended(current.fingerprint, of: id, by: .command)], context, connection)
        return try registrar.changed(id, true, connection)
    }
}

/// Ends the secret that a rotation has replaced.
package struct RetireSecret: OperatorChange {
    /// A client that has used a secret this recently would fail.
    static let recently: Duration = .hours(1)

    private let id: String
    private let isForced: Bool
    private let registrar: ClientRegistrar

    package init(_ id: String, isForced: Bool, _ registrar: ClientRegistrar) {
        (self.id, self.isForced, self.registrar) = (id, isForced, registrar)
    }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<ClientView> {
        let client = try registrar.client(id, connection)
        guard let previous = client.previous else { return try registrar.changed(id, false, connection) }
        let use = try registrar.store.use(of: previous.name, connection)
        if let use, context.now - use.last <= Self.recently, !isForced {
            throw ChangeError(
                "the previous secret of \(id) (\(previous.fingerprint)) was used at \(PlainDate.rfc3339(use.last)). Give the client the new one first, or use --force after a leak: its sign-ins fail until then."
            )
        }
        try registrar.store.delete(previous.name, at: context.now, connection)
        try registrar.commit([.ended(previous.fingerprint, of: id, by: .command)], context, connection)
        return try registrar.changed(id, true, connection)
    }
}

/// Ends replaced secrets by themselves, once they were unused for long enough.
package struct ReplacedSecrets: Sendable {
    private let database: any Database
    private let clock: ServiceClock
    private let audit: AuditStore
    private let logger: Logger
    private let store = ClientStore()

    package init(database: any Database, clock: ServiceClock, audit: AuditStore, logger: Logger) {
        (self.database, self.clock, self.audit, self.logger) = (database, clock, audit, logger)
    }

    /// - Returns: how many have ended.
    package func end(limit: Int) async throws -> Int {
        let now = clock.now()
        return try await database.write { [store, audit, logger] connection in
            let ended = try store.ended(at: now, limit: limit, connection)
            guard !ended.isEmpty else { return 0 }
            for name in ended {
                try store.delete(name, at: now, connection)
                try audit.record(.ended(name.fingerprint, of: name.client, by: .use), logger, connection)
            }
            try store.noteChange(connection)
            return ended.count
        }
    }
}

extension Event {
    fileprivate static func ended(_ fingerprint: String, of client: String, by end: SecretEnd) -> Event {
        Event(.clientSecretRetired, client: client, cause: end.rawValue, detail: fingerprint)
    }
}
