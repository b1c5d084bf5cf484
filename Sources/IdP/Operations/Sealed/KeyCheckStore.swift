package import IdPClients
package import SSOShared
import SSOWeb
package import Storage

/// The table of the check values, for the migrations.
package enum KeyCheckSchema {
    package static let sql = [
        // Sealed with the key that has the fingerprint.
        "CREATE TABLE key_check (fingerprint TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL)"
    ]
}

/// Which keys of `IDP_SECRET_KEY` the running IdP has: a value that each of them has sealed.
///
/// A command that seals with another key would store what the service cannot open. A service that starts with another key could
/// open nothing that is stored.
package struct KeyCheckStore: Sendable {
    private static let value = Array("swift-sso".utf8)

    package init() {}

    /// The keys that the database knows, by their fingerprints.
    package func fingerprints(_ connection: any SQLConnection) throws -> [String] {
        try connection.query("SELECT fingerprint FROM key_check ORDER BY fingerprint")
            .map { try $0.text("fingerprint") }
    }

    /// Whether the database knows each of the keys, in their order.
    package func knows(_ keys: DerivedKeys, _ connection: any SQLConnection) throws -> [Bool] {
        let rows = try connection.query("SELECT fingerprint, value FROM key_check")
        var values: [String: [UInt8]] = [:]
        for row in rows { values[try row.text("fingerprint")] = try row.blob("value") }
        return zip(keys.fingerprints, keys.each).map { fingerprint, key in
            values[fingerprint].flatMap { Self.box(key).open($0) } == Self.value
        }
    }

    /// Makes these keys, and those with the fingerprints that stay, the only ones.
    package func replace(with keys: DerivedKeys, keeping others: Set<String>, _ connection: any SQLConnection) throws {
        let known = try knows(keys, connection)
        for fingerprint in try fingerprints(connection)
        where !others.contains(fingerprint) && !keys.fingerprints.contains(fingerprint) {
            try connection.execute(
                "DELETE FROM key_check WHERE fingerprint = :fingerprint", ["fingerprint": .text(fingerprint)])
        }
        for (index, key) in keys.each.enumerated() where !known[index] {
            try connection.execute(
                """
                INSERT INTO key_check (fingerprint, value) VALUES (:fingerprint, :value)
                    ON CONFLICT (fingerprint) DO UPDATE SET value = excluded.value
                """,
                [
                    "fingerprint": .text(keys.fingerprints[index]),
                    "value": .blob(try Self.box(key).seal(Self.value)),
                ])
        }
    }

    private static func box(_ key: DerivedKeys) -> SealedBox { SealedBox(keys: key, label: "key-check") }
}

/// The rule about `IDP_SECRET_KEY` and a database.
package struct KeyCheck: Sendable {
    private let database: any Database
    private let keys: DerivedKeys
    private let values: SealedValueStore
    private let store = KeyCheckStore()

    /// - Parameter values: what is sealed in the database, which tells a wrong key where no check value is stored yet.
    package init(_ database: any Database, _ keys: DerivedKeys, _ values: SealedValueStore) {
        (self.database, self.keys, self.values) = (database, keys, values)
    }

    /// Before the program serves: one of its keys must be known. From then on the database knows those of the nodes that run.
    ///
    /// - Throws: ``SettingError`` when it knows none.
    package func start() async throws {
        if let problem = try await problem() { throw SettingError(problem) }
        try await accept()
    }

    /// Why ``start()`` would fail. Changes nothing.
    package func problem() async throws -> String? {
        let (known, fingerprints) = try await database.read {
            (try store.knows(keys, $0), try store.fingerprints($0))
        }
        if known.contains(true) { return nil }
        let lost = "If it is lost: idp database forget-keys --yes"
        guard fingerprints.isEmpty else {
            return """
                IDP_SECRET_KEY: is not the key of this database, which was last used with \(Self.list(fingerprints)). Set \
                that key, or put it after the new one, NEW,OLD. \(lost)
                """
        }
        let counts = try await values.count()
        guard counts.allSatisfy({ $0.current + $0.old == 0 }), counts.contains(where: { $0.unreadable > 0 }) else {
            return nil
        }
        return
            "IDP_SECRET_KEY: no key of it opens anything that is sealed in this database. Set the key of before. \(lost)"
    }

    /// Before a command seals something: its first key must be one of the running IdP, and of all its nodes.
    ///
    /// - Throws: ``SettingError``. The first key of a database that was never used becomes the one that it knows.
    package func seal() async throws {
        if let problem = try await problem() {
            throw SettingError("use the key of the running IdP: \(problem)")
        }
        if try await !checkFirst() { try await accept() }
    }

    /// The same before a command seals something outside the database, such as a backup. Changes nothing.
    ///
    /// - Returns: false for a database that was never used, which takes any key.
    /// - Throws: ``SettingError``.
    @discardableResult
    package func checkFirst() async throws -> Bool {
        let (known, all) = try await database.read { (try store.knows(keys, $0), try store.fingerprints($0)) }
        let nodes = try await (database as? any NodeDatabase)?.liveNodes() ?? []
        guard !all.isEmpty || !nodes.isEmpty, let first = keys.fingerprints.first else { return false }
        let isKnown = nodes.isEmpty ? known.first == true : nodes.allSatisfy { $0.keys.contains(first) }
        guard !isKnown else { return true }
        let place = nodes.first { !$0.keys.contains(first) }.map { "the node \($0.id) has" } ?? "it has"
        throw SettingError(
            """
            use the key of the running IdP: IDP_SECRET_KEY: its first key, \(first), seals what the running IdP could not \
            open: \(place) \(Self.list(all.filter { $0 != first })). Restart the IdP with both keys first, or put its key first.
            """)
    }

    /// Before a command takes what the running IdP has made: it needs every key of it. Changes nothing.
    ///
    /// - Throws: ``SettingError``.
    package func checkAll() async throws {
        let missing = try await database.read { try store.fingerprints($0) }.filter { !keys.fingerprints.contains($0) }
        guard missing.isEmpty else {
            throw SettingError(
                "IDP_SECRET_KEY: lacks \(Self.list(missing)), which the running IdP has. Give this command all keys of the IdP."
            )
        }
    }

    /// Lets the database know these keys, and those of the nodes that run.
    package func accept() async throws {
        let nodes = try await (database as? any NodeDatabase)?.liveNodes() ?? []
        let others = Set(nodes.flatMap(\.keys))
        try await database.write { try store.replace(with: keys, keeping: others, $0) }
    }

    private static func list(_ fingerprints: [String]) -> String {
        "the key\(fingerprints.count == 1 ? "" : "s") with the fingerprint\(fingerprints.count == 1 ? "" : "s") "
            + fingerprints.joined(separator: ", ")
    }
}

/// Lets the database know these keys alone, after the ones of before were lost: what only they open stays closed.
package struct ForgetKeys: OperatorChange {
    private let keys: DerivedKeys

    package init(_ keys: DerivedKeys) { self.keys = keys }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<Void> {
        let store = KeyCheckStore()
        let isSame = try store.knows(keys, connection).allSatisfy(\.self)
        guard try !isSame || store.fingerprints(connection).count != keys.fingerprints.count else {
            return Changed((), isChanged: false)
        }
        try store.replace(with: keys, keeping: [], connection)
        try context.record(Event(.keysForgotten, detail: keys.fingerprints.joined(separator: ", ")), connection)
        return Changed((), isChanged: true)
    }
}
