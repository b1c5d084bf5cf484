import Glibc
import NIOCore
import NIOPosix

/// Checks of what the settings name, for `check` and for a start that fails.
extension SettingsReader {
    /// Records a problem when the database cannot be opened. Creates and changes nothing.
    public func checkDatabase(_ database: DatabaseLocation, _ name: String, migrations: [Migration]) async {
        do throws(DatabaseError) {
            try await SQLiteDatabase.inspect(path: database.path, migrations: migrations)
        } catch {
            problem("\(name): \(error)")
        }
    }

    /// Records a problem when the address cannot be bound, and a warning when it is in use: the running service itself
    /// may be the one that uses it.
    public func checkListenAddress(_ address: ListenAddress, _ name: String) async {
        do {
            // With the server's option: connections that were closed a moment ago do not block the port.
            let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .bind(host: address.host, port: address.port).get()
            try await channel.close()
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            warn("\(name): \(address) is already in use. This is fine if this program is running.")
        } catch {
            let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
            problem("\(name): cannot listen at \(address): \(reason). Give an address of this machine.")
        }
    }
}
