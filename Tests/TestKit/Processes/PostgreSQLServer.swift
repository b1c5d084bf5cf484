import Foundation
import Glibc
import Synchronization

/// Debian's PostgreSQL as processes of this test: a new cluster, on a Unix socket in a folder of its own.
///
/// It ends with the process of the tests, also when that crashes. `script/setup --test` unpacks the packages without installing
/// them, so no service exists.
final class PostgreSQLServer: Sendable {
    private static let package = TestVectors.repository.appending(path: ".build/postgresql").path

    /// The server of all tests that need only a schema of their own: it is started once.
    static func shared() async throws -> PostgreSQLServer {
        let task = sharedServer.withLock { task in
            let started = task ?? Task { try await PostgreSQLServer() }
            task = started
            return started
        }
        return try await task.value
    }

    private static let sharedServer = Mutex<Task<PostgreSQLServer, any Error>?>(nil)

    private let folder: TemporaryFolder
    /// Its part of the names of files: one folder holds a primary and its standbys.
    private let name: String
    /// Also the end of the socket's name.
    let port: Int
    private let settings: [String]
    /// Where it runs, if that is not this machine.
    private let machine: SeparateMachines.Machine?
    private let process = Mutex<ChildProcess?>(nil)

    /// The folder of the socket.
    var socket: String { folder.path }
    var log: String { folder.text(of: "\(name).log") }

    // MARK: - Start and end

    /// Starts a server, lets `body` use it, and stops it.
    ///
    /// - Parameters:
    ///   - settings: further ones of the server, as `name=value`.
    ///   - machine: runs it there, and takes connections from its networks. Its socket can be used from this machine as well.
    static func open(
        settings: [String] = [], on machine: SeparateMachines.Machine? = nil,
        _ body: (PostgreSQLServer) async throws -> Void
    ) async throws {
        let server = try await PostgreSQLServer(settings: settings, on: machine)
        do {
            try await body(server)
        } catch {
            try? await server.stop()
            throw error
        }
        try await server.stop()
    }

    private init(settings: [String] = [], on machine: SeparateMachines.Machine? = nil) async throws {
        guard FileManager.default.fileExists(atPath: Self.package + "/usr/lib/postgresql") else {
            throw ProbeFailure("PostgreSQL is not at \(Self.package): run script/setup --test")
        }
        (folder, name, port, self.settings) = (try TemporaryFolder(), "primary", 5432, settings)
        self.machine = machine
        try folder.write(Self.program, to: "run.sh")
        try await folder.run("/bin/sh", ["run.sh", "unpack", Self.package], named: "unpack")
        try await run(
            "initdb", "-D", name, "--no-sync", "--no-instructions", "--auth=trust", "--username=postgres",
            "--encoding=UTF8", "--locale=C.UTF-8")
        if machine != nil {
            let rules = folder.text(of: "\(name)/pg_hba.conf")
            try folder.write(
                rules + "host all all samenet trust\nhost replication all samenet trust\n", to: "pg_hba.conf")
            try await folder.run("/bin/sh", ["-c", "cat pg_hba.conf > \(name)/pg_hba.conf"], named: "rules")
        }
        try await start()
    }

    private init(standbyOf primary: PostgreSQLServer, port: Int, on machine: SeparateMachines.Machine?) async throws {
        (folder, name, self.port, settings) = (primary.folder, "standby-\(port)", port, primary.settings)
        self.machine = machine
        let host = machine == nil ? primary.socket : primary.machine?.between ?? ""
        try await run(
            "pg_basebackup", "-D", name, "--write-recovery-conf", "--checkpoint=fast", "--no-sync", "--dbname",
            "host=\(host) port=\(primary.port) user=postgres application_name=\(name) connect_timeout=2")
        try await start()
    }

    /// Starts it, also again after it was killed.
    func start() async throws {
        let before = log.count
        let child = try ChildProcess(
            "/bin/sh",
            place + [
                "serve", "\(getpid())", "-D", name, "-p", "\(port)", "-c",
                "listen_addresses=\(machine == nil ? "" : "0.0.0.0")", "-c",
                "unix_socket_directories=\(folder.path)", "-c", "fsync=off", "-c", "full_page_writes=off", "-c",
                "jit=off",
                "-c", "max_connections=600", "-c", "autovacuum=off",
            ] + settings.flatMap { ["-c", $0] }, environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"],
            folder: folder.path, standardOutput: folder.path(of: "\(name).log"),
            standardError: folder.path(of: "\(name).log"))
        process.withLock { $0 = child }
        try await eventually("PostgreSQL accepts connections") { () -> Void? in
            if let exit = child.exit { throw ProbeFailure("PostgreSQL ended: \(exit) \(log.suffix(2_000))") }
            let news = log.dropFirst(before)
            return news.contains("is ready to accept connections") || news.contains("is ready to accept read-only")
                ? () : nil
        }
    }

    /// Ends all connections and the server.
    func stop() async throws {
        guard let child = process.withLock({ $0 }) else { return }
        child.send(SIGINT)
        let exit = try await child.waitForExit()
        guard exit == .code(0) else { throw ProbeFailure("PostgreSQL ended: \(exit) \(log.suffix(2_000))") }
    }

    /// Kills the server (SIGKILL), or ends it at once without a checkpoint (SIGQUIT). Returns when it is gone.
    func kill(_ signal: Int32 = SIGKILL) async throws {
        let lines = folder.text(of: "\(name)/postmaster.pid").split(separator: "\n")
        guard let child = process.withLock({ $0 }), let pid = lines.first.flatMap({ pid_t($0) }) else {
            throw ProbeFailure("\(name) does not run")
        }
        Glibc.kill(pid, signal)
        _ = try await child.waitForExit()
    }

    // MARK: - Standbys

    /// Makes a copy that follows this server, and starts it.
    ///
    /// - Parameter machine: runs it there. It follows this server, which must run on the other machine, over the network.
    func standby(port: Int, on machine: SeparateMachines.Machine? = nil) async throws -> PostgreSQLServer {
        try await PostgreSQLServer(standbyOf: self, port: port, on: machine)
    }

    /// Makes this standby a primary.
    func promote() async throws { try await run("pg_ctl", "promote", "-D", name) }

    // MARK: - Statements

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
        try await run(
            "psql", "-X", "-q", "-A", "-t", "-w", "-h", folder.path, "-p", "\(port)", "-U", "postgres", "-d", database,
            "-f", "statements.sql")
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

    private func run(_ program: String, _ arguments: String...) async throws {
        try await folder.run("/bin/sh", place + [program] + arguments, named: program)
    }

    /// The arguments of the shell that run ``program`` where the server runs.
    private var place: [String] {
        guard let machine else { return ["run.sh"] }
        return ["-c", "exec ip netns exec \(machine.name) /bin/sh run.sh \"$@\"", "run.sh"]
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
        # A signal that kills the tests has not stopped the server: it ends when they are gone.
        if [ "$name" = serve ]; then
            parent=$1
            shift
            sh run.sh postgres "$@" &
            server=$!
            trap 'kill -INT $server' INT TERM
            (while kill -0 "$parent" && kill -0 "$server"; do sleep 1; done; kill -QUIT "$server"
             kill -0 "$parent" || rm -rf "$PWD") 2>/dev/null &
            while true; do
                wait "$server" && status=0 || status=$?
                kill -0 "$server" 2>/dev/null || exit "$status"
            done
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
