import IdPSchema
import SSOWeb
import StorageEngines

extension ProgramDatabase {
    /// That of the IdP.
    static let idp = ProgramDatabase(
        "idp", migrations: IdPMigrations.all,
        voidGrants: { try IdPTable.end(.lostCommits, at: ServiceClock.system().now(), $0) })
}
