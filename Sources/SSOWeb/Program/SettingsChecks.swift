import Foundation
import Glibc
import NIOCore
import NIOPosix
import SSOShared
public import Storage

/// Checks of what the settings name, for `check` and for a start that fails.
extension SettingsReader {
    /// Records a problem when the database cannot be opened, and a warning when a start would change its schema: the version
    /// before does not start on it afterwards. Creates and changes nothing.
    ///
    /// - Parameter inspect: returns the names of the steps that opening the database would apply, or throws the reason why it
    ///   cannot be opened.
    public func checkDatabase(
        _ database: DatabaseLocation, _ name: String,
        inspecting inspect: (DatabaseLocation) async throws(DatabaseError) -> [String]
    ) async {
        if case .sqlite(let path) = database { warnOfOthers(secretFile: path, setting: name) }
        _ = await steps(database, name, inspecting: inspect)
    }

    /// - Returns: nil for a database that cannot be opened.
    private func steps(
        _ database: DatabaseLocation, _ name: String,
        inspecting inspect: (DatabaseLocation) async throws(DatabaseError) -> [String]
    ) async -> [String]? {
        do throws(DatabaseError) {
            let steps = try await inspect(database)
            guard !steps.isEmpty else { return steps }
            warn(
                """
                \(name): a start will apply these steps to the schema of \(database.place): \(steps.joined(separator: ", ")). \
                Make a backup first: an older version refuses the database afterwards.
                """)
            return steps
        } catch {
            problem("\(name): \(error)")
            return nil
        }
    }

    /// The same for a database that a connection is needed for, with a line when it can be used: for `check --connect`. Records a
    /// problem, too, when a node is running on it beside which this process would not start.
    ///
    /// - Parameter open: opens a database as it is, also one without tables.
    public func checkConnection(
        to database: DatabaseLocation, _ name: String, as node: NodeDescription,
        inspecting inspect: (DatabaseLocation) async throws(DatabaseError) -> [String],
        opening open: (DatabaseLocation) async throws(DatabaseError) -> any Database
    ) async {
        guard !database.isFile, let steps = await steps(database, name, inspecting: inspect) else { return }
        record("connect \(name)", "PostgreSQL can be used at \(database)")
        guard steps.isEmpty else { return }
        do {
            let refusal = try await open(database).closing { opened in
                let refusal = try await node.refusal(at: opened)
                try await node.warnings(at: opened).forEach(warn)
                report(try await OtherRoles(opened), of: name)
                try await reportStandby(opened, of: name)
                return refusal
            }
            if let refusal { problem("\(refusal)") }
        } catch {
            problem("\(name): \(error)")
        }
    }

    /// Records a problem when no commit ends: then no sign-in does.
    private func reportStandby(_ database: any Database, of name: String) async throws {
        guard let names = try await (database as? any NodeDatabase)?.missingStandby() else { return }
        problem(
            """
            \(name): commits wait for the standby of synchronous_standby_names, \(names), and it is away, so nobody can sign in. \
            Start it, or change that setting of PostgreSQL, see docs/postgresql.md.
            """)
    }

    /// Warns where the program's own role has rights that it does not need, and where every role may connect; names those that
    /// can today.
    private func report(_ roles: OtherRoles, of name: String) {
        if !roles.rights.isEmpty {
            warn(
                """
                \(name): its role \(roles.own) is \(roles.rights.joined(separator: ", ")), and so is everybody who learns its \
                password. ALTER ROLE \(roles.own) \(roles.rights.map { "NO\($0)" }.joined(separator: " ")), or give it a role \
                of its own, see docs/postgresql.md.
                """)
        }
        if roles.includePublic {
            warn(
                """
                \(name): every role of the server may connect to the database, and could hold up all writes by a lock. \
                REVOKE ALL ON DATABASE … FROM PUBLIC, see docs/postgresql.md.\(roles.isEmpty ? "" : " Today: \(roles).")
                """)
        } else if !roles.isEmpty {
            record("connect \(name) roles", "\(roles) may connect as well, and could hold up all writes by a lock")
        }
    }

    /// Checks both addresses of a program, that they are not the same, and that browsers find the program.
    ///
    /// - Parameter hasProxy: whether the settings name a proxy.
    package func checkListen(
        _ values: SettingValues, _ listen: Setting<ListenAddress>, metrics metricsListen: Setting<MetricsListen?>,
        publicURL: PublicURLSetting, hasProxy: Bool = false
    ) {
        let address = try? values[listen]
        if let address { addCheck { await $0.checkListenAddress(address, listen.name) } }
        if !hasProxy, let address, let origin = try? values[publicURL],
            let words = address.problem(beside: origin, listen.name)
        {
            warn("\(publicURL.name): \(words)")
        }
        guard let metrics = try? values[metricsListen] else { return }
        if let words = address.flatMap({ metrics.problem(beside: $0, listen.name) }) {
            problem("\(metricsListen.name): \(words)")
        }
        addCheck { await $0.checkListenAddress(metrics.address, metricsListen.name) }
    }

    /// Records a problem when the address cannot be bound, and a warning when it is in use: the running service itself
    /// may be the one that uses it.
    public func checkListenAddress(_ address: ListenAddress, _ name: String) async {
        do {
            try await address.tryToBind()
        } catch {
            guard let found = ListenProblem(error, at: address) else { return problem("\(name): \(error)") }
            guard found.isInUse else { return problem("\(name): \(found)") }
            warn("\(name): \(found) Ignore this if the program is already running.")
        }
    }
}

extension ListenAddress {
    /// Binds the address for a moment.
    ///
    /// - Throws: the system's error.
    func tryToBind() async throws {
        // With the server's option: connections that were closed a moment ago do not block the port.
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: bound(), port: port).get()
        try await channel.close()
    }
}

/// Why a program cannot listen at an address, as a sentence with the way out.
struct ListenProblem: CustomStringConvertible {
    let isInUse: Bool
    let description: String

    /// Nil for an error that is not the system's.
    init?(_ error: any Error, at address: ListenAddress) {
        let (code, reason): (Int32, String)
        switch error {
        case let error as IOError: (code, reason) = (error.errnoCode, String(cString: strerror(error.errnoCode)))
        case let error as SocketAddressError.UnknownHost: (code, reason) = (0, error.errorDescription)
        default: return nil
        }
        isInUse = code == EADDRINUSE
        guard !isInUse else {
            description = "\(address) is already in use. Use another port, or end the program that has it."
            return
        }
        // A port below 1024 is for root.
        let way =
            code == EACCES
            ? "a port from 1024, for example \(ListenAddress(host: address.host, port: address.port + 8_000))"
            : "an address of this machine, for example 127.0.0.1:\(address.port)"
        description = "cannot listen at \(address): \(reason). Use \(way)."
    }
}

/// What `check` prints.
extension SettingsReader {
    /// The effective settings, one per line. Control characters are escaped.
    var table: String {
        // The id of a client, which is in a name, has up to 128 characters.
        let width = min(lines.map(\.name.count).max() ?? 0, 40)
        return lines.map { line in
            let blanks = String(repeating: " ", count: max(width - line.name.count, 0))
            return "\(line.name)\(blanks)  \(LogEscape.text(line.shown))\n"
        }.joined()
    }

    /// The last line: how many problems and warnings there are.
    var summary: String {
        func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
        switch (problems.count, warnings.count) {
        case (0, 0): return "All settings are fine."
        case (0, let warnings): return "No problems. \(count(warnings, "warning"))."
        case (let problems, 0): return "\(count(problems, "problem"))."
        case (let problems, let warnings): return "\(count(problems, "problem")), \(count(warnings, "warning"))."
        }
    }
}
