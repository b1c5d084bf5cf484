import Storage
import Synchronization

/// Makes every call of a database fail while it is on, as a full disk or a lost file would.
final class Outage: Sendable {
    private let state = Mutex(false)
    fileprivate let error: DatabaseError

    /// - Parameter error: what the calls end with.
    init(_ error: DatabaseError = .unavailable("an outage of the test")) { self.error = error }

    var isOn: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    func wrapping(_ real: any Database) -> any Database { OutageDatabase(real: real, outage: self) }
}

private struct OutageDatabase: Database {
    let real: any Database
    let outage: Outage

    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        try check()
        return try await real.read(body)
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        try check()
        return try await real.write(body)
    }

    func checkReady() async throws(DatabaseError) {
        try check()
        try await real.checkReady()
    }

    func close() async { await real.close() }

    private func check() throws(DatabaseError) {
        if outage.isOn { throw outage.error }
    }
}
