import Foundation

/// What the command line asks for.
struct BenchOptions {
    /// Login pairs of the main run.
    var pairs = 100_000
    /// Signed-in browsers, each with one request under way at any time.
    var concurrency = 64
    /// How long each yardstick runs in all, in seconds.
    var yardstickSeconds = 6
    /// Rows laid into a database that is then run in turns with an empty one. Zero: not measured.
    var seededTokens = 0
    var seededSessions = 0
    /// The folder of the programs. By default that of this very program.
    var programs = ""
    /// Where the databases go: the disk that is measured. By default a new folder under the system's temporary one.
    var parent = NSTemporaryDirectory()

    static let usage = """
        usage: bench [--pairs N] [--concurrency N] [--yardstick-seconds N] [--seed-used-tokens N] [--seed-sessions N]
                     [--programs FOLDER] [--parent FOLDER]
        """

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { throw UsageFault("\(name) needs a value") }
            switch name {
            case "--pairs": pairs = try Self.number(value, name, least: 1)
            case "--concurrency": concurrency = try Self.number(value, name, least: 1)
            case "--yardstick-seconds": yardstickSeconds = try Self.number(value, name, least: 1)
            case "--seed-used-tokens": seededTokens = try Self.number(value, name, least: 0)
            case "--seed-sessions": seededSessions = try Self.number(value, name, least: 0)
            case "--programs": programs = value
            case "--parent": parent = value
            default: throw UsageFault("unknown option \(name)")
            }
        }
        if programs.isEmpty {
            let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            programs = URL(fileURLWithPath: own).deletingLastPathComponent().path
        }
    }

    private static func number(_ text: String, _ name: String, least: Int) throws -> Int {
        guard let number = Int(text), number >= least else { throw UsageFault("\(name) needs a number from \(least)") }
        return number
    }
}

/// The command line is wrong.
struct UsageFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Something did not do what the bench needs.
struct BenchFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
