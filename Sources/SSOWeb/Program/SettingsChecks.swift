import Dispatch
import Glibc

/// What `check` looks at beyond the settings themselves.
extension SettingsReader {
    /// Records a problem when the database could not be opened. Makes and changes nothing.
    public func checkDatabase(_ database: DatabaseLocation, _ name: String, migrations: [Migration]) async {
        do throws(DatabaseFailure) {
            try await SQLiteDatabase.inspect(path: database.path, migrations: migrations)
        } catch {
            problem("\(name): \(error)")
        }
    }

    /// Records a problem when nothing could listen there, and a warning when something does: it may be this very program,
    /// at work while somebody checks its settings.
    public func checkListenAddress(_ address: ListenAddress, _ name: String) async {
        let fault: ListenFault? = await withCheckedContinuation { continuation in
            // A name is looked up, and that may wait.
            DispatchQueue.global().async { continuation.resume(returning: address.fault()) }
        }
        switch fault {
        case nil: break
        case .taken:
            warn("\(name): something listens at \(address) already. Is it this program? Then all is well.")
        case .impossible(let reason):
            problem("\(name): nothing can listen at \(address): \(reason). Give an address of this machine.")
        }
    }
}

/// Why nothing can be bound to an address.
enum ListenFault: Equatable {
    case taken
    case impossible(String)
}

extension ListenAddress {
    /// Binds for a moment, without listening. Blocks while a name is looked up.
    func fault() -> ListenFault? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &list)
        guard status == 0, let list else { return .impossible(String(cString: gai_strerror(status))) }
        defer { freeaddrinfo(list) }
        let descriptor = socket(list.pointee.ai_family, list.pointee.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return .impossible(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var yes: Int32 = 1
        // As the server itself does: a connection of a moment ago does not hold the port.
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor, list.pointee.ai_addr, list.pointee.ai_addrlen) != 0 else { return nil }
        return errno == EADDRINUSE ? .taken : .impossible(String(cString: strerror(errno)))
    }
}
