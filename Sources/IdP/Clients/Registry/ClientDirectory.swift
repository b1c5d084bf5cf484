package import Hummingbird
package import Logging
package import SSOShared
package import SSOWeb
package import Storage
import Synchronization

/// Where the clients of the file come from, and how they are read again while the program runs.
package struct ClientSource: Sendable {
    /// What one reading gave.
    package struct Reading: Sendable {
        let clients: ClientRegistry
        let problems, warnings: [String]

        package init(clients: ClientRegistry, problems: [String], warnings: [String]) {
            (self.clients, self.problems, self.warnings) = (clients, problems, warnings)
        }
    }

    /// The clients at the start.
    package let clients: ClientRegistry
    /// Reads them again; nil without a file.
    let read: (@Sendable () -> Reading)?

    package init(_ clients: ClientRegistry, reading read: (@Sendable () -> Reading)? = nil) {
        (self.clients, self.read) = (clients, read)
    }
}

/// The clients of the database, and what opens their secrets.
package struct StoredClients: Sendable {
    let database: any Database
    let box: ClientSecretBox
    let clock: ServiceClock
    let store = ClientStore()

    package init(database: any Database, keys: DerivedKeys, randomness: any Randomness, clock: ServiceClock) {
        (self.database, self.clock) = (database, clock)
        box = ClientSecretBox(keys: keys, randomness: randomness)
    }
}

/// The clients that are registered at the moment: those of the file and those of the database.
///
/// ``reload()`` reads the file. It takes effect only if the whole file is right. Otherwise the old list stays.
///
/// The database has a number that rises with each change. A transaction that issues or redeems a grant compares it
/// (``registered(_:)``), and a request is refused for an unknown client or a wrong signature only after it was compared
/// (``renew()``). So no process acts on a client or a secret that a command has changed before.
package final class ClientDirectory: Sendable {
    /// The shortest time between two readings for requests that are about to be refused.
    package static let renewalInterval: Duration = .milliseconds(20)

    /// The secrets' last uses.
    package let uses: SecretUses
    let nearSearches = NearSearches()
    private let source: ClientSource
    let stored: StoredClients?
    private let logger: Logger
    private let current: Mutex<State>
    private let renewal: PacedReading
    private let unknown: UnknownNames?
    /// Whether a transaction has seen another number than ``State/revision``.
    private let isBehind = Atomic<Bool>(false)
    /// Whether the last comparison with the database has failed.
    private let isUnread = Atomic<Bool>(false)

    private struct State {
        var file: ClientRegistry
        var inDatabase: [StoredClient] = []
        /// The number of the database at which ``inDatabase`` was read; nil before.
        var revision: Int64?
        /// What is registered: of ``inDatabase`` those that are enabled and that do not contradict the file.
        var all: ClientRegistry
        /// Rises with each change here.
        var version = 0
    }

    /// - Parameters:
    ///   - stored: the clients of the database; nil for those of the file alone.
    ///   - unknown: counts requests that are about to be refused; nil to let each wait for a new reading.
    ///   - interval: the shortest time between two readings for requests that are about to be refused.
    package init(
        _ source: ClientSource, stored: StoredClients? = nil, logger: Logger, unknown: UnknownNames? = nil,
        interval: Duration = ClientDirectory.renewalInterval
    ) {
        self.unknown = unknown
        (self.source, self.stored, self.logger) = (source, stored, logger)
        current = Mutex(State(file: source.clients, all: source.clients))
        renewal = PacedReading(every: interval)
        uses = SecretUses()
    }

    /// All of them as they are known here.
    package var registry: ClientRegistry { current.withLock(\.all) }

    /// The registered clients: those of the file first, in its order.
    package var all: [Client] { current.withLock(\.all.all) }

    /// The client with exactly this id.
    package func client(id: String) -> Client? { current.withLock { $0.all.client(id: id) } }

    /// Another number than before when the clients, or anything about them, have changed.
    package var version: Int { current.withLock(\.version) }

    // MARK: In a transaction

    /// Reads the database. What ``registered(_:)`` finds changed in the transaction is known here afterwards.
    package func read<Result: Sendable>(
        _ database: any Database, _ body: @escaping @Sendable (any SQLConnection) throws -> Result
    ) async throws -> Result {
        try await catchUp { try await database.read(body) }
    }

    /// Changes the database, otherwise as ``read(_:_:)``.
    package func write<Result: Sendable>(
        _ database: any Database, _ body: @escaping @Sendable (any SQLConnection) throws -> Result
    ) async throws -> Result {
        try await catchUp { try await database.write(body) }
    }

    /// The clients that are registered in the transaction of `connection`. Reads them where another process has changed them.
    package func registered(_ connection: any SQLConnection) throws -> ClientRegistry {
        guard let stored else { return current.withLock(\.all) }
        return try registered(at: try stored.store.revision(connection), connection)
    }

    /// What the clients were at a decision, for a transaction that rests on it.
    package struct Mark: Sendable, Equatable {
        let version: Int
        /// The number in the database; nil for clients of the file alone.
        let revision: Int64?

        /// As the value of a condition with ``ClientStore/revisionSQL``.
        package var value: SQLValue { .optional(revision) }
    }

    /// What the clients are in the transaction of `connection`; nil when another process has changed them.
    package func mark(_ connection: any SQLConnection) throws -> Mark? {
        try mark(at: stored?.store.revision(connection) ?? 0)
    }

    /// - Parameter revision: the number in the database, which the caller has read.
    package func mark(at revision: Int64) -> Mark? {
        current.withLock { state in
            guard stored != nil else { return Mark(version: state.version, revision: nil) }
            return state.revision == revision ? Mark(version: state.version, revision: revision) : nil
        }
    }

    /// The clients at a mark of the same transaction.
    package func registered(at mark: Mark, _ connection: any SQLConnection) throws -> ClientRegistry {
        guard let revision = mark.revision else { return current.withLock(\.all) }
        return try registered(at: revision, connection)
    }

    /// Whether the clients that are known here are still those of a decision. Whether those of the database are is a condition of
    /// the statement.
    package func isCurrent(_ mark: Mark) -> Bool { version == mark.version }

    /// The client with exactly this id, also one that was disabled.
    package func client(alsoDisabled id: String, _ connection: any SQLConnection) throws -> Client? {
        if let client = try registered(connection).client(id: id) { return client }
        guard let stored else { return nil }
        return try stored.store.client(id: id, connection)?.client(of: registry.protocols, stored.box) { _ in }
    }

    /// - Parameter revision: the number in the database, which the caller has read (``ClientStore/revisionSQL``).
    package func registered(at revision: Int64, _ connection: any SQLConnection) throws -> ClientRegistry {
        let (known, file) = current.withLock { ($0.revision == revision ? $0.all : nil, $0.file) }
        if let known { return known }
        guard let stored else { return current.withLock(\.all) }
        // Not kept from here: the transaction may see what is not committed.
        isBehind.store(true, ordering: .relaxed)
        return Self.merged(file, try stored.store.all(connection), stored.box) { _ in }
    }

    /// The client as it is registered now, in whatever process it was changed.
    ///
    /// - Throws: when the database does not answer.
    package func registeredNow(id: String) async throws -> Client? {
        guard let stored else { return client(id: id) }
        return try await read(stored.database) { [self] in try registered($0).client(id: id) }
    }

    /// Takes over what a transaction has found to be changed, for one that is not begun here.
    package func catchUp<Result: Sendable>(after transaction: () async throws -> Result) async throws -> Result {
        let result = try await transaction()
        if isBehind.load(ordering: .relaxed), isBehind.exchange(false, ordering: .relaxed) { await read() }
        return result
    }

    // MARK: Outside

    /// Compares the number in the database, and reads the clients if it differs: for a request of anybody that is answered by
    /// what is registered, without a transaction of its own.
    ///
    /// The comparison begins after the call. There is at most one in ``renewalInterval``, however many requests wait for it,
    /// and few wait: a flood of such requests costs the database no more, and leaves connections to the others.
    package func renew() async {
        guard stored != nil else { return }
        await renewal.wait { [self] in await read() }
    }

    /// The same before a request is refused for a client, an address, a secret or a logo that this process does not know. It
    /// is counted by its network (``UnknownNames``).
    package func renew(refusing request: Request, _ context: VisitorContext) async {
        guard stored != nil else { return }
        let needsNew = unknown?.count(request, context.peer) ?? true
        await renewal.wait(needsNew: needsNew) { [self] in await read() }
    }

    /// Either of both, before a request is answered by what is registered, known here or not: what is known may have been changed.
    package func renew(for request: Request, _ context: VisitorContext, isKnown: Bool) async {
        if isKnown { await renew() } else { await renew(refusing: request, context) }
    }

    /// Before a request is refused for a client or a secret that is not known here: it may be known in the database.
    ///
    /// - Throws: ``DatabaseError`` where the clients could not be compared with the database.
    package func checkCompared() throws {
        if isUnread.load(ordering: .relaxed) { throw DatabaseError.unavailable("the clients cannot be read") }
    }

    /// The same at once, for a request that only a session or a right signature leads to.
    package func read() async {
        guard let stored else { return }
        do {
            let known = current.withLock(\.revision)
            let found = try await stored.database.read {
                [store = stored.store] connection -> (Int64, [StoredClient])? in
                let revision = try store.revision(connection)
                guard revision != known else { return nil }
                return (revision, try store.all(connection))
            }
            isUnread.store(false, ordering: .relaxed)
            guard let (revision, clients) = found else { return }
            take(clients, at: revision, stored.box)
        } catch {
            // The list of before stays. Whatever changes or gives out anything compares in its own transaction, and fails there.
            isUnread.store(true, ordering: .relaxed)
            logger.record(Event(.clientsNotRead, cause: "\(error)"))
        }
    }

    private func take(_ clients: [StoredClient], at revision: Int64, _ box: ClientSecretBox) {
        var problems: [String] = []
        current.withLock { state in
            // A reading that another one has overtaken is put right by the next comparison.
            state.inDatabase = clients
            state.revision = revision
            state.all = Self.merged(state.file, clients, box) { problems.append($0) }
            state.version += 1
        }
        for problem in problems { logger.record(.clientsFileWarning(problem, level: .error)) }
    }

    /// Reads the file again. Does nothing without one.
    ///
    /// - Returns: what the caller records of it.
    @discardableResult package func reload() -> Event? {
        guard let read = source.read else { return nil }
        let reading = read()
        for warning in reading.warnings { logger.record(.clientsFileWarning(warning)) }
        let inDatabase = current.withLock(\.inDatabase)
        let problems =
            reading.problems + inDatabase.compactMap { Self.conflict(of: $0, with: reading.clients)?.description }
        // One row, and a line of each.
        for problem in problems { logger.record(Event(.clientsFileRejected, ["error": "\(problem)"])) }
        guard problems.isEmpty else { return Event(.clientsFileRejected).only(in: .row) }
        let before = current.withLock { state in
            defer {
                state.file = reading.clients
                state.all = stored.map { Self.merged(state.file, state.inDatabase, $0.box) { _ in } } ?? state.file
                state.version += 1
            }
            return state.file
        }
        let (old, new) = (Set(before.all.map(\.id)), Set(reading.clients.all.map(\.id)))
        let (added, dropped) = (new.subtracting(old).sorted(), old.subtracting(new).sorted())
        var further: Logger.Metadata = [
            "count": .number(new.count), "added": "\(added.joined(separator: " "))",
            "dropped": "\(dropped.joined(separator: " "))",
        ]
        if reading.clients.all.contains(where: \.hasFixedSecret) {
            further["message"] = "env: and credential: are as they were at the start; a changed one needs a restart"
        }
        // 500 clients at most, of 128 characters: a bound for the row.
        let changes = (added.map { "+\($0)" } + dropped.map { "-\($0)" }).joined(separator: " ")
        return Event(.clientsFileLoaded, detail: String(changes.prefix(4000)), further)
    }

    /// Lets commands know the clients of the file, also those commands that do not read it.
    package func recordFile(in database: any Database, _ logger: Logger) async {
        await FileClientStore.record(current.withLock(\.file).all, in: database, logger)
    }

    // MARK: Both sources together

    /// Why a client of the database and those of the file cannot both be registered: one id, or one secret, in both.
    package static func conflict(of client: StoredClient, with file: ClientRegistry) -> ClientConflict? {
        if let other = file.client(id: client.id) {
            return ClientConflict(
                setting: other.origin.setting(environment: EnvironmentClient.clientID.name),
                description:
                    "clients: the id \"\(client.id)\" is registered twice, in \(other.origin.place ?? "the file") and by command. Remove one of them: idp client remove \(client.id)."
            )
        }
        let prints = Set(client.secrets.map(\.fingerprint))
        return file.all.first { !prints.isDisjoint(with: $0.fingerprints) }.map {
            ClientConflict(
                setting: $0.origin.setting(environment: EnvironmentClient.sharedSecret.name),
                description:
                    "clients: \"\($0.id)\" in \($0.origin.place ?? "the file") and \"\(client.id)\", which was added by command, have the same secret. Give each its own."
            )
        }
    }

    /// The clients of the file, then the enabled ones of the database. One that contradicts the file is left out: both sides
    /// refuse that, but a process reads the file at its own SIGHUP.
    private static func merged(
        _ file: ClientRegistry, _ inDatabase: [StoredClient], _ box: ClientSecretBox, problem: (String) -> Void
    ) -> ClientRegistry {
        var problems: [String] = []
        let added = inDatabase.filter(\.isEnabled).compactMap { client -> Client? in
            if let conflict = Self.conflict(of: client, with: file) {
                problems.append(conflict.description)
                return nil
            }
            return client.client(of: file.protocols, box) { problems.append($0) }
        }
        problems.forEach(problem)
        return added.isEmpty ? file : ClientRegistry(file.all + added, of: file.protocols)
    }
}

/// A client of the settings and one of the database that cannot both be registered.
package struct ClientConflict: Sendable {
    /// The setting that the one is from.
    package let setting: String
    package let description: String
}

extension ClientOrigin {
    /// The setting that a client is from.
    ///
    /// - Parameter name: the one that counts for a client of the `SSO_…` settings.
    fileprivate func setting(environment name: String) -> String {
        if case .environment = self { name } else { ClientsFile.setting.name }
    }
}

extension Client {
    /// Whether one of its secrets is an `env:` or a `credential:`.
    fileprivate var hasFixedSecret: Bool {
        if case .file(_, _, _, let isFixed) = origin { isFixed } else { false }
    }
}
