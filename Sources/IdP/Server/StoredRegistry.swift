import IdPAccounts
package import IdPClients
import IdPFlow
import IdPGate
import IdPOperations
package import Logging
package import SSOShared
package import SSOWeb
package import Storage
import StorageEngines

/// What must be right about the clients and the sealed values of the database before the program serves.
package struct StoredRegistry: Sendable {
    private let database: any Database
    private let keys: DerivedKeys
    private let file: ClientRegistry
    /// Whether no proxy is declared.
    private let hasNoProxies: Bool

    package init(_ values: SettingValues, _ database: any Database) throws(SettingError) {
        self.init(
            database, try values[FlowSettings.secretKey], try values[IdPSettings.clients].clients,
            hasNoProxies: try values[FlowSettings.trustedProxies].hasNoTrustedProxies)
    }

    fileprivate init(_ database: any Database, _ keys: DerivedKeys, _ file: ClientRegistry, hasNoProxies: Bool) {
        (self.database, self.keys, self.file, self.hasNoProxies) = (database, keys, file, hasNoProxies)
    }

    fileprivate struct Report: Sendable {
        let views: [ClientView]
        /// Ids and secrets that are in the file, too.
        let conflicts: [ClientConflict]
        let sealed: [SealedValueStore.Count]
        /// Why no key is one of this database.
        let keyProblem: String?
        /// About groups that clients name.
        let groups: [String]
        /// Whether no proxy is declared.
        let hasNoProxies: Bool
    }

    fileprivate func report() async throws -> Report {
        let (stored, views, groups) = try await database.read { [file] connection in
            let views = try ClientView.all(file: file, connection)
            return (
                try ClientStore().all(connection), views,
                try GroupStore.warnings(about: views.map(\.client), connection)
            )
        }
        let values = SealedValueStore(database: database, keys)
        return Report(
            views: views, conflicts: stored.compactMap { ClientDirectory.conflict(of: $0, with: file) },
            sealed: try await values.count(), keyProblem: try await KeyCheck(database, keys, values).problem(),
            groups: groups, hasNoProxies: hasNoProxies)
    }

    /// - Throws: ``SettingError`` when clients of the database cannot work with these settings.
    package func checkStart(_ logger: Logger) async throws {
        let report = try await report()
        if let problem = report.problems.first { throw SettingError(problem) }
        try await KeyCheck(database, keys, SealedValueStore(database: database, keys)).start()
        // As the clients of the file, at notice: operators compare the fingerprints of both programs.
        for line in report.clients {
            logger.record(Event(.setting, ["name": "\(line.name)", "value": "\(line.shown)"], level: .notice))
        }
        for warning in report.warnings() { logger.record(Event(.settingWarning, ["message": "\(warning)"])) }
        for warning in report.groups { logger.record(.clientsFileWarning(warning)) }
    }
}

extension StoredRegistry.Report {
    var problems: [String] {
        [keyProblem].compactMap(\.self) + conflicts.map { "\($0.setting): \($0.description)" }
    }

    /// What a value that no key opens means for those who look for its cause.
    private static func effect(of name: String) -> String {
        switch name {
        case SealedColumn.clientSecretsName:
            "Their clients are left out, or have their other secret alone. Make a new one: idp client rotate ID."
        case SealedColumn.signingKeysName: "New ones are made when a token is signed."
        default: "Those cannot be revoked at the provider."
        }
    }

    /// - Parameter hasFaultyClients: whether settings describe clients that have problems.
    func warnings(hasFaultyClients: Bool = false) -> [String] {
        let unreadable = sealed.filter { keyProblem == nil && $0.unreadable > 0 }.map {
            "IDP_SECRET_KEY: no key of it opens \($0.unreadable) of the \($0.name) in the database. \(Self.effect(of: $0.name)) If a key was removed too early, put it after the first one, NEW,OLD, until sealed_values_renewed is in the log."
        }
        return unreadable + (views.isEmpty && !hasFaultyClients ? [Self.noClient] : [])
            + gateWithoutProxies + ClientView.linesThatMayGo(views, at: ServiceClock.system().now())
    }

    /// That clients of the database are behind the gate and no proxy is declared. A client of the file is a problem of the
    /// settings. Here the start goes on: a command may have added the client while the program ran.
    private var gateWithoutProxies: [String] {
        let gated = views.filter { $0.entry != nil && $0.isEnabled && $0.client.gate != nil }
        guard hasNoProxies, let first = gated.first else { return [] }
        return [FlowSettings.gateWithoutProxies(first.client.id)]
    }

    static let noClient =
        "No relying party is registered: use idp client add, or set IDP_CLIENTS_FILE, or SSO_CLIENT_ID, SSO_REDIRECT_URIS and SSO_SHARED_SECRET."

    /// The clients that were added by command.
    var clients: [(name: String, shown: String)] {
        views.filter { $0.entry != nil }.map { view in
            let state = ["in the database"] + (view.isEnabled ? [] : ["disabled"])
            return (
                "client \(view.client.id)", view.client.shown(state, fingerprints: view.secrets.map(\.fingerprint))
            )
        }
    }

    /// What `check` shows.
    var lines: [(name: String, shown: String)] {
        let counts = sealed.map { count -> (name: String, shown: String) in
            let total = count.current + count.old + count.unreadable
            return (
                "sealed \(count.name)",
                "\(total), of which \(count.old) need an old key, and \(count.unreadable) no key opens"
            )
        }
        return clients + counts
    }
}

extension SettingsReader {
    /// Reports what is wrong with the clients and the sealed values of a database that this version need not change first.
    ///
    /// - Parameters:
    ///   - hasNoProxies: whether no proxy is declared.
    ///   - hasFaultyClients: whether settings describe clients that have problems, and that `file` therefore lacks.
    package func checkRegistry(
        _ location: DatabaseLocation, _ keys: DerivedKeys, _ file: ClientRegistry, hasNoProxies: Bool,
        hasFaultyClients: Bool = false
    ) async {
        do {
            guard try await ProgramDatabase.idp.isComplete(location) else {
                if file.all.isEmpty, !hasFaultyClients { warn(StoredRegistry.Report.noClient) }
                return
            }
            let report = try await ProgramDatabase.idp.openToRead(location, .quiet).closing {
                try await StoredRegistry($0, keys, file, hasNoProxies: hasNoProxies).report()
            }
            for line in report.lines { record(line.name, line.shown) }
            report.problems.forEach(problem)
            report.warnings(hasFaultyClients: hasFaultyClients).forEach(warn)
            for warning in report.groups { warn("clients: \(warning)") }
        } catch {
            // A database that cannot be used is reported by the check of it.
        }
    }
}
