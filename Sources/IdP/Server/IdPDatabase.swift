import IdPSchema
package import Logging
import SSOWeb
import Storage
package import StorageEngines

extension ProgramDatabase {
    /// That of the IdP.
    package static let idp = ProgramDatabase(
        "idp", migrations: IdPMigrations.all,
        voidGrants: { try IdPTable.end(.lostCommits, at: ServiceClock.system().now(), $0) })
}

extension DatabaseLocation {
    /// Lets `body` read a database that this version need not change first. Nil without one, and after an error: a database
    /// that cannot be used is reported by the check of it.
    func reading<T>(_ body: (any Database) async throws -> T) async -> T? {
        guard (try? await ProgramDatabase.idp.isComplete(self)) == true else { return nil }
        return try? await ProgramDatabase.idp.openToRead(self, .quiet).closing(body)
    }
}

extension Logger {
    /// For commands and checks: they report the errors that end them, and no events.
    package static let quiet = Logger(label: "idp") { _ in SwiftLogNoOpLogHandler() }
}
