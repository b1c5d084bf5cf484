import IdPClients
import IdPOperations
import IdPSchema
import IdPServer
import IdPSignOut
import Logging
import SSOShared
import SSOWeb
import Storage

// What commands use beside a running IdP, with the client protocols of the program (``ClientProtocols/builtIn``).

extension ClientRegistry {
    init(_ clients: [Client], problem: (String) -> Void = { _ in }) {
        self.init(clients, of: .builtIn, problem: problem)
    }
}

extension KnownClients {
    /// Without the clients of the file that the command has not read.
    init(_ connection: any SQLConnection) throws { try self.init(file: ClientRegistry([]), connection) }
}

extension OperatorChanges {
    init(
        _ database: any Database, by actor: AuditActor, clock: ServiceClock = .system(),
        randomness: any Randomness = SystemRandomness(), logger: Logger? = nil
    ) {
        self.init(database, of: .builtIn, by: actor, clock: clock, randomness: randomness, logger: logger)
    }
}

extension SignOuts {
    init(clock: ServiceClock, randomness: any Randomness) {
        self.init(clock: clock, randomness: randomness, protocols: .builtIn)
    }
}

extension RestoredDatabase {
    init(database: any Database) { self.init(database: database, of: .builtIn) }
}
