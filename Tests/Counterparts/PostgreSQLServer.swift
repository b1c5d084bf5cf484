import Foundation
import Glibc

@testable import TestKit

/// Debian's PostgreSQL as processes of this test: a new cluster, on a Unix socket in a folder of its own.
///
/// `script/setup --test` unpacks the packages without installing them, so no service exists.
final class PostgreSQLServer: Sendable {
    private static let package = TestVectors.repository.appending(path: ".build/postgresql").path

    private let folder: TemporaryFolder
    private let server: ChildProcess

    /// Starts a server, lets `body` use it, and stops it.
    static func open(_ body: (PostgreSQLServer) async throws -> Void) async throws {
        let server = try await PostgreSQLServer()
        do {
            try await body(server)
        } catch {
            try? await server.stop()
            throw error
        }
        try await server.stop()
    }

    private init() async throws {
        guard FileManager.default.fileExists(atPath: Self.package + "/usr/lib/postgresql") else {
            throw ProbeFailure("PostgreSQL is not at \(Self.package): run script/setup --test")
        }
        let folder = try TemporaryFolder()
        try folder.write(Self.program, to: "run.sh")
        try await folder.run("/bin/sh", ["run.sh", "unpack", Self.package], named: "unpack")
        try await folder.run(
            "/bin/sh",
            [
                "run.sh", "initdb", "-D", "data", "--no-sync", "--no-instructions", "--auth=trust",
                "--username=postgres", "--encoding=UTF8", "--locale=C.UTF-8",
            ], named: "initdb")
        server = try ChildProcess(
            "/bin/sh",
            [
                "run.sh", "postgres", "-D", "data", "-c", "listen_addresses=", "-c",
                "unix_socket_directories=\(folder.path)", "-c", "fsync=off", "-c", "jit=off",
            ], environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"], folder: folder.path,
            standardOutput: folder.path(of: "log"), standardError: folder.path(of: "log"))
        self.folder = folder
        try await eventually("PostgreSQL accepts connections") { () -> Void? in
            if let exit = server.exit { throw ProbeFailure("PostgreSQL ended: \(exit) \(log.suffix(2_000))") }
            return log.contains("database system is ready to accept connections") ? () : nil
        }
    }

    /// Ends all connections and the server.
    private func stop() async throws {
        server.send(SIGINT)
        let exit = try await server.waitForExit()
        guard exit == .code(0) else { throw ProbeFailure("PostgreSQL ended: \(exit) \(log.suffix(2_000))") }
    }

    var log: String { folder.text(of: "log") }

    /// What became of some statements.
    struct Outcome: Sendable {
        /// What PostgreSQL says about a statement that it refused, by the place of the statement.
        var errors: [Int: String] = [:]
        /// The values of the rows, one row on each line.
        var rows: [String] = []
    }

    /// Runs statements one after another on one connection, each in a transaction of its own. Later ones run also when an
    /// earlier one is refused.
    ///
    /// - Parameter statements: each without a line break, and without the semicolon at its end.
    func run(_ statements: [String], in database: String = "postgres") async throws -> Outcome {
        try folder.write(statements.map { $0 + ";\n" }.joined(), to: "statements.sql")
        try await folder.run(
            "/bin/sh",
            [
                "run.sh", "psql", "-X", "-q", "-A", "-t", "-w", "-h", folder.path, "-U", "postgres", "-d", database,
                "-f", "statements.sql",
            ], named: "psql")
        var outcome = Outcome(rows: folder.text(of: "psql.out").split(separator: "\n").map(String.init))
        for line in folder.text(of: "psql.err").split(separator: "\n") {
            // One statement on each line.
            if let match = line.prefixMatch(of: #/psql:statements\.sql:(\d+): (?:ERROR|FATAL|PANIC|error): */#),
                let number = Int(match.1)
            {
                outcome.errors[number - 1] = String(line[match.range.upperBound...])
            }
        }
        return outcome
    }

    /// Runs a program of the package in this folder.
    ///
    /// PostgreSQL does not run as root. Another user may have no way into the folder of the repository, so root makes a copy.
    private static let program = """
        set -e
        name=$1
        shift
        if [ "$name" = unpack ]; then
            if [ "$(id -u)" = 0 ]; then
                cp -R "$1" program
                chown -R nobody:nogroup .
            else
                ln -s "$1" program
            fi
            exit
        fi
        as_user=""
        if [ "$(id -u)" = 0 ] && [ "$name" != psql ]; then
            as_user="setpriv --reuid=nobody --regid=nogroup --clear-groups --"
        fi
        LD_LIBRARY_PATH=$(echo "$PWD"/program/usr/lib/*-linux-gnu)
        export LD_LIBRARY_PATH
        exec $as_user program/usr/lib/postgresql/*/bin/"$name" "$@"

        """
}
