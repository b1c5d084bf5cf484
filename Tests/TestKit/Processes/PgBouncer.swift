import Foundation
import Glibc

/// Debian's PgBouncer, a connection pooler, as a process of this test before a server of PostgreSQL.
///
/// `script/setup --test` unpacks it without installing it.
final class PgBouncer: Sendable {
    private static let package = TestVectors.repository.appending(path: ".build/pgbouncer").path
    static var isInstalled: Bool { FileManager.default.fileExists(atPath: package + "/usr/sbin/pgbouncer") }

    private let folder: TemporaryFolder
    private let process: ChildProcess

    /// The folder of its socket, whose port is 6432.
    var socket: String { folder.path }

    /// Starts it.
    ///
    /// - Parameters:
    ///   - mode: `session`, `transaction` or `statement`.
    ///   - settings: further lines of its settings.
    init(before server: PostgreSQLServer, mode: String, settings: [String] = []) async throws {
        folder = try TemporaryFolder()
        try folder.write(
            """
            [databases]
            postgres = host=\(server.socket) port=\(server.port) user=postgres dbname=postgres
            [pgbouncer]
            listen_addr =
            listen_port = 6432
            unix_socket_dir = \(folder.path)
            auth_type = any
            pool_mode = \(mode)
            \(settings.joined(separator: "\n"))

            """, to: "settings.ini")
        try folder.write(Self.program, to: "run.sh")
        process = try ChildProcess(
            "/bin/sh", ["run.sh", Self.package], environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"],
            folder: folder.path, standardOutput: folder.path(of: "out"), standardError: folder.path(of: "err"))
        try await eventually("PgBouncer accepts connections") { () -> Void? in
            if let exit = process.exit { throw ProbeFailure("PgBouncer ended: \(exit) \(folder.text(of: "err"))") }
            // The file of the socket is there before anything listens.
            return PostgreSQLRelay.connect(to: folder.path(of: ".s.PGSQL.6432")).map { _ in }
        }
    }

    func stop() async throws {
        process.send(SIGINT)
        _ = try await process.waitForExit()
    }

    /// PgBouncer does not run as root. Another user may have no way into the folder of the repository, so root makes a copy.
    private static let program = """
        set -e
        program=$1
        as_user=""
        if [ "$(id -u)" = 0 ]; then
            cp -R "$1" program
            program=program
            chown -R nobody:nogroup .
            as_user="setpriv --reuid=nobody --regid=nogroup --clear-groups --"
        fi
        LD_LIBRARY_PATH=$(echo "$program"/usr/lib/*-linux-gnu)
        export LD_LIBRARY_PATH
        exec $as_user "$program/usr/sbin/pgbouncer" settings.ini

        """
}
