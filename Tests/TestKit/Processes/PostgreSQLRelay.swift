import Foundation
import Glibc
import Synchronization

/// A network between a program and a PostgreSQL server, which fails as the test says. It reads the messages of the program
/// (PostgreSQL 15 documentation, 55.7 "Message Formats") only as far as to find the commit.
final class PostgreSQLRelay: Sendable {
    enum Network: Sendable, Equatable {
        case whole
        /// Every connection is reset, and so is every new one.
        case cut
        /// Every new connection is reset, and those that are there go on.
        case full
        /// Bytes wait. Nobody is told.
        case stalled
        /// Each piece takes so long.
        case slow(Duration)
        /// One byte at a time, with a pause.
        case trickling
        /// The connection is reset when the next commit comes, which the server never sees.
        case cutBeforeCommit
        /// The server sees the next commit, and the answer to it is lost.
        case cutAfterCommit
    }

    let port: UInt16
    private let listener: OwnedSocket
    private let server: String
    private let state = Mutex((network: Network.whole, connections: [Connection]()))

    private final class Connection: Sendable {
        let program, server: OwnedSocket

        init(program: OwnedSocket, server: OwnedSocket) { (self.program, self.server) = (program, server) }

        func reset() {
            for socket in [program, server] {
                var linger = linger(l_onoff: 1, l_linger: 0)
                let size = socklen_t(MemoryLayout.size(ofValue: linger))
                setsockopt(socket.descriptor, SOL_SOCKET, SO_LINGER, &linger, size)
                socket.end()
            }
        }
    }

    /// - Parameter server: its Unix socket is in this folder.
    init(before server: PostgreSQLServer) throws {
        self.server = "\(server.socket)/.s.PGSQL.\(server.port)"
        listener = try .listening()
        port = try listener.port
        Self.onThread { [listener, weak self] in
            while let program = listener.accept() { self?.take(program) }
        }
    }

    deinit { listener.end() }

    var network: Network {
        get { state.withLock { $0.network } }
        set {
            state.withLock { state in
                state.network = newValue
                guard newValue == .cut else { return }
                for connection in state.connections { connection.reset() }
                state.connections = []
            }
        }
    }

    /// How many connections are open.
    var count: Int { state.withLock { $0.connections.count } }

    /// Resets the oldest connection.
    func cutOne() {
        state.withLock { state in
            state.connections.first?.reset()
            state.connections = Array(state.connections.dropFirst())
        }
    }

    private func take(_ program: OwnedSocket) {
        guard ![.cut, .full].contains(network), let server = Self.connect(to: server) else { return }
        let connection = Connection(program: program, server: server)
        state.withLock { $0.connections.append(connection) }
        Self.onThread { [weak self] in
            var reader = MessageReader()
            while let bytes = Self.read(program), let self {
                let commits = reader.commits(in: bytes)
                if commits, self.becomesWhole(after: .cutBeforeCommit) { break }
                self.wait(bytes) { Self.write($0, to: server) }
                if commits, self.becomesWhole(after: .cutAfterCommit) {
                    // The server has it. Its answer goes nowhere, because this side is closed first.
                    program.end()
                    usleep(200_000)
                    break
                }
            }
            connection.reset()
            self?.forget(connection)
        }
        Self.onThread { [weak self] in
            while let bytes = Self.read(server), let self { self.wait(bytes) { Self.write($0, to: program) } }
            connection.reset()
            self?.forget(connection)
        }
    }

    /// Its sockets are closed when the other direction has ended as well.
    private func forget(_ connection: Connection) {
        state.withLock { $0.connections.removeAll { $0 === connection } }
    }

    private func becomesWhole(after fault: Network) -> Bool {
        state.withLock { state in
            guard state.network == fault else { return false }
            state.network = .whole
            return true
        }
    }

    /// Hands bytes on as the network does.
    private func wait(_ bytes: [UInt8], _ write: ([UInt8]) -> Void) {
        while network == .stalled { usleep(5_000) }
        switch network {
        case .slow(let time): usleep(UInt32(time / .microseconds(1)))
        case .trickling:
            for byte in bytes {
                guard network == .trickling else { break }
                write([byte])
                usleep(20_000)
            }
            return
        default: break
        }
        write(bytes)
    }

    static func connect(to path: String) -> OwnedSocket? {
        let server = OwnedSocket(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(server.descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return result == 0 ? server : nil
    }

    private static func read(_ socket: OwnedSocket) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = Glibc.recv(socket.descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer.prefix(count)) : nil
    }

    private static func write(_ bytes: [UInt8], to socket: OwnedSocket) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes {
                Glibc.send(socket.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { return }
            rest = rest.dropFirst(sent)
        }
    }

    private static func onThread(_ work: @escaping @Sendable () -> Void) {
        let thread = Thread(block: work)
        thread.stackSize = 1 << 19
        thread.start()
    }
}

/// Finds the prepared statement `commit` among the messages of a program.
private struct MessageReader {
    private var waiting: [UInt8] = []
    /// The first messages have no type: the request for TLS, and the start.
    private var isStarted = false

    mutating func commits(in bytes: [UInt8]) -> Bool {
        waiting += bytes
        var found = false
        while let message = next() {
            // Bind: the name of the portal, and of the statement, each with a zero at its end.
            guard message.type == UInt8(ascii: "B") else { continue }
            let names = message.body.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
            if names.count > 1, names[1].elementsEqual("commit".utf8) { found = true }
        }
        return found
    }

    private mutating func next() -> (type: UInt8, body: ArraySlice<UInt8>)? {
        let header = isStarted ? 5 : 4
        guard waiting.count >= header else { return nil }
        let length = waiting[(header - 4)..<header].reduce(0) { $0 << 8 | Int($1) }
        let total = header - 4 + length
        guard waiting.count >= total else { return nil }
        let type = isStarted ? waiting[0] : 0
        let body = waiting[header..<total]
        // Requests for TLS and GSSAPI have eight bytes, a start has more.
        if !isStarted { isStarted = total > 8 }
        waiting.removeFirst(total)
        return (type, body)
    }
}
