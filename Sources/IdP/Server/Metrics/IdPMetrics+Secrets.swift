import IdPClients
import IdPOperations
import IdPSigningKeys
import SSOShared
import SSOWeb
import Storage

/// Secrets in rotation, and backups. They change seldom and are read seldom.
extension IdPMetrics {
    static let secretKeys = MetricDescription(
        "idp_secret_keys", .gauge, "Keys in IDP_SECRET_KEY: more than 1 during a rotation.")
    static let replacedSecrets = MetricDescription(
        "idp_replaced_client_secrets", .gauge, "Older secrets of clients of the database that are still taken.")
    static let oldestReplacedSecret = MetricDescription(
        "idp_oldest_replaced_client_secret_seconds", .gauge, "How long ago the first of them was replaced.")
    static let unreadableSecrets = MetricDescription(
        "idp_unreadable_secrets", .gauge,
        "Client secrets and signing keys in the database that no key of IDP_SECRET_KEY opens.")
    static let newestBackup = MetricDescription(
        "idp_newest_backup_timestamp_seconds", .gauge,
        "When idp backup last made one, in seconds since 1970; 0 for none in 8 days. Whether it was checked is not known."
    )

    static let secretsAndBackups = [
        secretKeys, replacedSecrets, oldestReplacedSecret, unreadableSecrets, newestBackup,
    ]

    /// How far back a backup is looked for.
    private static let daysOfBackups = 8

    /// - Parameter isFile: whether the database is one of SQLite.
    static func readings(
        of keys: DerivedKeys, _ database: any Database, isFile: Bool, clock: ServiceClock, randomness: any Randomness
    ) -> [MetricsService.Reading] {
        let sealed = SealedValueStore(
            database: database,
            columns: [
                .clientSecrets(ClientSecretBox(keys: keys, randomness: randomness)),
                .signingKeys(SigningKeyBox(keys: keys, randomness: randomness).box),
            ])
        return [
            { $0.set(secretKeys, Double(keys.fingerprints.count)) },
            MetricsService.seldom {
                let clients = try await database.read { try ClientStore().all($0) }
                let replaced = clients.flatMap(\.secrets).compactMap(\.replacedAt)
                $0.set(replacedSecrets, Double(replaced.count))
                $0.set(oldestReplacedSecret, age(replaced.min(), clock))
            },
            MetricsService.seldom {
                $0.set(unreadableSecrets, Double(try await sealed.count().map(\.unreadable).reduce(0, +)))
            },
            MetricsService.seldom { registry in
                let audit = AuditStore(database: database, clock: clock)
                let newest = try await audit.newest(.backupMade, since: clock.now() - .days(daysOfBackups))
                // Of PostgreSQL other tools make backups.
                guard isFile || newest != nil else { return }
                registry.set(newestBackup, newest.map { Double($0.milliseconds) / 1000 } ?? 0)
            },
        ]
    }
}
