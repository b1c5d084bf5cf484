package import IdPClients
package import JWT
package import Logging
package import SSOShared
package import SSOWeb
package import Storage
import Synchronization

/// The keys of ID tokens and logout tokens: one of each algorithm signs, and all that anybody may still have to check are
/// published.
///
/// They are generated here, and every process uses those of the database. Which one signs is read in the transaction of what
/// is signed: no process signs with a key that a command has removed.
package final class SigningKeys: Sendable {
    /// A new key is made so long after the one before was made.
    package static let lifetime: Duration = .days(90)
    /// A new key is published so long before it signs: clients keep the list of keys for a while.
    package static let published: Duration = .hours(24)
    /// No token that a key has signed is valid for longer.
    package static let longestToken: Duration = .minutes(10)
    /// A key stays so long after the one after it signs: as long as its last token is valid, and a day.
    package static let kept: Duration = longestToken + .hours(24)

    package let database: any Database
    private let box: SigningKeyBox
    private let newKey: PrivateKeyMaker
    private let store = SigningKeyStore()
    private let audit: AuditStore
    private let logger: Logger
    private let clock: ServiceClock
    /// By id. A key never changes.
    private let opened = Mutex<[String: PrivateKey]>([:])
    private let ready = Mutex<Set<SigningAlgorithm>>([])

    /// - Parameter audit: its database has the keys.
    package init(
        _ box: SigningKeyBox, from newKey: @escaping PrivateKeyMaker = PrivateKey.init(new:), _ audit: AuditStore,
        clock: ServiceClock, logger: Logger
    ) {
        (database, self.box, self.newKey, self.audit) = (audit.database, box, newKey, audit)
        (self.clock, self.logger) = (clock, logger)
    }

    /// When the newest key of each algorithm is to be followed by another.
    package func renewals() async throws -> [(algorithm: String, due: Timestamp)] {
        let keys = try await database.read { try self.store.all($0) }
        return Dictionary(grouping: keys, by: \.algorithm).compactMap { algorithm, keys in
            keys.map(\.createdAt).max().map { (algorithm.rawValue, $0 + Self.lifetime) }
        }
    }

    // MARK: Signing

    /// Makes the first key of an algorithm, unless there is one. Call it before a transaction that calls ``current(_:_:)``.
    package func prepare(_ algorithm: SigningAlgorithm) async throws {
        guard !ready.withLock({ $0.contains(algorithm) }) else { return }
        let now = clock.now()
        let current = try await database.read { try self.store.current(algorithm, at: now, $0) }
        if current.map({ box.open($0) == nil }) ?? true {
            // Used from the beginning of time: the clock of another process may be behind. One that no key of IDP_SECRET_KEY opens
            // is followed by another: tokens that it has signed stay valid.
            let newest = try await database.read { try self.store.all($0) }
                .filter { $0.algorithm == algorithm }.map(\.generation).max()
            let next = try SigningKey(
                algorithm, generation: (newest ?? 0) + 1, box, at: now,
                usedFrom: newest == nil ? Timestamp(milliseconds: 0) : now, from: newKey)
            try await database.write { try self.add(next, by: .program, $0) }
            // Another node may have been first, with a key that this one does not open: the next token tries again.
            let found = try await database.read { try self.store.current(algorithm, at: now, $0) }
            guard found.map({ box.open($0) != nil }) ?? false else { return }
        }
        _ = ready.withLock { $0.insert(algorithm) }
    }

    /// The key that signs now, which this process can open: nothing is consumed for an answer that cannot be signed.
    ///
    /// - Throws: ``DatabaseError/unavailable(_:)`` without one. ``prepare(_:)`` makes one for the next request.
    package func current(_ algorithm: SigningAlgorithm, _ connection: any SQLConnection) throws -> SigningKey {
        guard let key = try store.current(algorithm, at: clock.now(), connection) else {
            throw DatabaseError.unavailable("no key signs \(algorithm.rawValue)")
        }
        do { _ = try privateKey(key) } catch {
            _ = ready.withLock { $0.remove(algorithm) }
            throw error
        }
        return key
    }

    /// Signs claims as a JWT.
    ///
    /// - Parameter type: the `typ` of its header.
    package func sign(_ claims: [JSONText.Member], type: String, with key: SigningKey) throws -> String {
        try CompactToken.sign(claims, type: type, keyID: key.id, try privateKey(key))
    }

    private func privateKey(_ key: SigningKey) throws -> PrivateKey {
        if let known = opened.withLock({ $0[key.id] }) { return known }
        guard let found = box.open(key) else {
            throw DatabaseError.unavailable("no key of IDP_SECRET_KEY opens the signing key \(key.id)")
        }
        opened.withLock {
            // Bounded: keys that were removed leave with the rest.
            if $0.count > 50 { $0 = [:] }
            $0[key.id] = found
        }
        return found
    }

    // MARK: Publishing

    /// The keys of the set (RFC 7517 5).
    ///
    /// - Parameter isNeeded: whether to make the first keys, in the transaction that reads them: a client that a command has
    ///   added in another process needs them at once. A program that no client of OpenID Connect uses has none.
    package func published(where isNeeded: @escaping @Sendable (any SQLConnection) throws -> Bool) async throws
        -> [SigningKey]
    {
        var (keys, needsAll) = try await database.read { (try self.store.all($0), try isNeeded($0)) }
        let missing = Set(SigningAlgorithm.allCases).subtracting(keys.map(\.algorithm))
        if needsAll, !missing.isEmpty {
            // A failover may have lost those that were there.
            ready.withLock { $0.subtract(missing) }
            for algorithm in SigningAlgorithm.allCases { try await prepare(algorithm) }
            keys = try await database.read { try self.store.all($0) }
        }
        return Self.published(keys, at: clock.now())
    }

    /// Those that anybody may have to check.
    static func published(_ keys: [SigningKey], at now: Timestamp) -> [SigningKey] {
        keys.filter { key in
            !keys.contains {
                $0.algorithm == key.algorithm && $0.generation > key.generation && $0.usedFrom + kept <= now
            }
        }
    }

    /// The claims of a token that one of the published keys has signed, whatever they say. Nil for any other text.
    package func claims(of text: String, type: String) async throws -> JSONNode? {
        guard let token = CompactToken(text), token.header["typ"]?.string == type, token.header["crit"] == nil,
            let id = token.header["kid"]?.string
        else { return nil }
        let keys = try await database.read { try self.store.all($0) }
        guard let key = Self.published(keys, at: clock.now()).first(where: { $0.id == id }),
            token.header["alg"]?.string == key.algorithm.rawValue,
            let node = try? JSONReader.readStrictly(Array(key.publicKey.utf8)), let checking = try? PublicKey(node),
            checking.isValid(token.signature, for: token.signed, key.algorithm.signature)
        else { return nil }
        return try? JSONReader.readStrictly(token.payload)
    }

    // MARK: Rotation

    /// Makes the next key of each algorithm whose key is old, and removes those that nobody needs any more.
    package func renew() async throws {
        let now = clock.now()
        let keys = try await database.read { try self.store.all($0) }
        for algorithm in SigningAlgorithm.allCases {
            let own = keys.filter { $0.algorithm == algorithm }
            guard let newest = own.last else { continue }
            if newest.createdAt + Self.lifetime <= now {
                let next = try SigningKey(
                    algorithm, generation: newest.generation + 1, box, at: now, usedFrom: now + Self.published,
                    from: newKey)
                try await database.write { try self.add(next, by: .program, $0) }
            }
        }
        let kept = Set(Self.published(keys, at: now).map(\.id))
        let old = keys.filter { !kept.contains($0.id) }
        guard !old.isEmpty else { return }
        try await database.write { for key in old { try self.remove(key, by: .program, $0) } }
    }

    private func add(_ key: SigningKey, by actor: AuditActor, _ connection: any SQLConnection) throws {
        guard try store.insert(key, connection) else { return }
        let further: Logger.Metadata = [
            "used_from": "\(PlainDate.rfc3339(max(key.usedFrom, key.createdAt)))"
        ]
        for event in [EventKind.signingKeyMade, .signingKeyPublished] {
            try audit.record(key.event(event, by: actor, further), logger, connection)
        }
    }

    private func remove(_ key: SigningKey, by actor: AuditActor, _ connection: any SQLConnection) throws {
        try store.delete(key.id, connection)
        try audit.record(key.event(.signingKeyRetired, by: actor), logger, connection)
    }
}

extension SigningKey {
    func event(_ kind: EventKind, by actor: AuditActor, _ further: Logger.Metadata = [:]) -> Event {
        Event(kind, by: actor, cause: algorithm.rawValue, detail: id, further)
    }
}
