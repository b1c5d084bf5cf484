import Foundation

/// Measures what a login, a sign-in with a provider, by a passkey or by OpenID Connect, a check of the gate, an admin page, a request of
/// nobody or a single request costs at a real IdP process. See docs/benchmarks.md.
@main
struct BenchCommand {
    static func main() {
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            if arguments.first == "federation" {
                let options = try BenchOptions(Array(arguments.dropFirst()), allowing: FederationRun.options)
                try FederationRun(options: options).run()
            } else if arguments.first == "nobody" {
                let options = try BenchOptions(Array(arguments.dropFirst()), allowing: NobodyRun.options)
                try NobodyRun(options: options).run()
            } else if arguments.first == "oidc" {
                let options = try BenchOptions(Array(arguments.dropFirst()), allowing: OpenIDRun.options)
                try OpenIDRun(options: options).run()
            } else if arguments.first == "passkey" {
                let options = try BenchOptions(Array(arguments.dropFirst()), allowing: PasskeyRun.options)
                try PasskeyRun(options: options).run()
            } else if arguments.first == "gate" {
                let options = try BenchOptions(Array(arguments.dropFirst()), allowing: GateRun.options)
                try GateRun(options: options).run()
            } else if arguments.first == "admin" {
                let options = try BenchOptions(Array(arguments.dropFirst()), allowing: AdminRun.options)
                try AdminRun(options: options).run()
            } else if arguments.first == "budget" {
                let options = try BenchOptions(Array(arguments.dropFirst()), allowing: BudgetRun.options)
                try BudgetRun(options: options).run()
            } else {
                try BenchRun(options: BenchOptions(arguments)).run()
            }
        } catch let error as UsageError {
            FileHandle.standardError.write(Data("\(error.description)\n\n\(BenchOptions.usage)\n".utf8))
            exit(64)
        } catch {
            FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
            exit(1)
        }
    }
}

/// What the command line asks for.
struct BenchOptions {
    /// How many browsers sign in at the same time, one measurement each.
    var concurrency = [1, 16, 64]
    /// Every measurement is repeated so often, in turns with the others.
    var rounds = 5
    /// How long one measurement takes.
    var seconds = 2.0
    /// The binary of another build, which is measured in turns with this one.
    var against: String?
    /// A PostgreSQL server, as keywords without the name of a database. Its commits go to a disk, too.
    var postgres: String?
    /// How many processes share a database of PostgreSQL.
    var nodes = 1
    /// Rows for a database that is measured in turns with an empty one.
    var seed = SeedRows()
    /// How many unfinished requests are open at the same time.
    var connections = 4_000
    /// The library that counts costs, and the file with their bounds.
    var library = ""
    var bounds = ""
    /// The binary that is measured. By default `idp` in the folder of this very program.
    var program = ""
    /// Where the databases go: the disk that is measured. By default a new folder in the system's temporary one.
    var parent = NSTemporaryDirectory()

    static let usage = """
        usage: bench [--concurrency N[,N…]] [--rounds N] [--seconds N] [--against BUILD] [--program BUILD]
                     [--seed-used-tokens N] [--seed-sessions N] [--seed-accounts N] [--seed-audit-rows N]
                     [--seed-messages N] [--parent FOLDER] [--postgres SERVER [--nodes N]]
               bench federation [--rounds N] [--program BUILD] [--parent FOLDER]
               bench oidc [--rounds N] [--program BUILD] [--parent FOLDER]
               bench passkey [--rounds N] [--seconds N] [--program BUILD] [--parent FOLDER]
               bench gate [--rounds N] [--seconds N] [--seed-gate-sessions N] [--program BUILD] [--parent FOLDER]
               bench admin [--rounds N] [--seconds N] [--seed-accounts N] [--seed-audit-rows N] [--program BUILD]
                           [--parent FOLDER]
               bench nobody [--bounds FILE] [--rounds N] [--connections N] [--program BUILD] [--parent FOLDER]
               bench budget --library FILE --bounds FILE [--program BUILD] [--parent FOLDER]
        BUILD is an `idp` binary or the folder that holds it.
        """

    /// - Parameter allowed: the options that may be used; nil for all.
    init(_ arguments: [String], allowing allowed: Set<String>? = nil) throws {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard allowed?.contains(name) ?? true else { throw UsageError("unknown option \(name)") }
            guard let value = rest.popFirst() else { throw UsageError("\(name) needs a value") }
            switch name {
            case "--concurrency":
                concurrency = try value.split(separator: ",").map { try Self.number(String($0), name, least: 1) }
            case "--rounds": rounds = try Self.number(value, name, least: 1)
            case "--connections": connections = try Self.number(value, name, least: 1)
            case "--seconds": seconds = Double(try Self.number(value, name, least: 1))
            case "--nodes": nodes = try Self.number(value, name, least: 1)
            case "--postgres": postgres = value
            case "--against": against = try Self.binary(value, name)
            case "--program": program = try Self.binary(value, name)
            case "--seed-used-tokens": seed.tokens = try Self.number(value, name, least: 0)
            case "--seed-sessions": seed.sessions = try Self.number(value, name, least: 0)
            case "--seed-accounts": seed.accounts = try Self.number(value, name, least: 0)
            case "--seed-audit-rows": seed.auditRows = try Self.number(value, name, least: 0)
            case "--seed-messages": seed.messages = try Self.number(value, name, least: 0)
            case "--seed-gate-sessions": seed.gateSessions = try Self.number(value, name, least: 0)
            case "--parent": parent = value
            case "--library": library = value
            case "--bounds": bounds = value
            default: throw UsageError("unknown option \(name)")
            }
        }
        if program.isEmpty {
            let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            program = try Self.binary(URL(fileURLWithPath: own).deletingLastPathComponent().path, "--program")
        }
    }

    private static func number(_ text: String, _ name: String, least: Int) throws -> Int {
        guard let number = Int(text), number >= least else {
            throw UsageError("\(name) must be a whole number from \(least)")
        }
        return number
    }

    private static func binary(_ path: String, _ name: String) throws -> String {
        var isFolder: ObjCBool = false
        let binary =
            FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
            ? "\(path)/idp" : path
        guard FileManager.default.isExecutableFile(atPath: binary) else {
            throw UsageError("\(name): there is no program at \(binary)")
        }
        return binary
    }
}

/// The command line is wrong.
struct UsageError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// A measurement that cannot be completed.
struct BenchError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
