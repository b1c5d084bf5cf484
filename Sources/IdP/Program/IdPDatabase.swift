import IdPSchema
import Logging
import SSOWeb
import StorageEngines

extension ProgramDatabase {
    /// That of the IdP.
    static let idp = ProgramDatabase(
        "idp", migrations: IdPMigrations.all,
        voidGrants: { try IdPTable.end(.lostCommits, at: ServiceClock.system().now(), $0) })
}

extension Logger {
    /// For commands and checks: they report the errors that end them, and no events.
    static let quiet = Logger(label: "idp") { _ in SwiftLogNoOpLogHandler() }
}
