import ArgumentParser
import Foundation

/// How the network is used, for every command that uses it.
struct NetworkOptions: ParsableArguments {
    @Flag(help: "Also connect to private, loopback and reserved addresses.")
    var allowPrivate = false

    @Option(help: ArgumentHelp("Trust the authorities in this PEM file, too.", valueName: "file"))
    var caFile: String?

    @Option(
        help: ArgumentHelp(
            "Use this address for a host instead of DNS; may be given several times.", valueName: "host:port:addr"))
    var resolve: [String] = []

    @Option(help: ArgumentHelp("Seconds for each request; Android gives five.", valueName: "seconds"))
    var timeLimit: Double = 5

    func validate() throws {
        guard timeLimit > 0, timeLimit <= 600 else {
            throw ValidationError("--time-limit is from 0.001 to 600 seconds")
        }
        for entry in resolve where entry.split(separator: ":", maxSplits: 2).count != 3 {
            throw ValidationError("--resolve takes host:port:address, not \(entry)")
        }
    }

    /// - Throws: ``CannotCheck``.
    func client() throws -> WebClient {
        if let caFile, !FileManager.default.isReadableFile(atPath: caFile) {
            throw CannotCheck("\(caFile): there is no such file, or it cannot be read")
        }
        var settings = WebSettings()
        settings.timeLimit = .milliseconds(Int(timeLimit * 1000))
        settings.caFile = caFile
        settings.resolve = resolve
        settings.allowsPrivate = allowPrivate
        guard let client = WebClient(settings) else { throw CannotCheck("curl cannot be used") }
        return client
    }
}

/// Nothing could be checked: the program says why and ends with 2.
struct CannotCheck: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }

    /// Runs a command's work; of what cannot be checked it tells why on standard error and ends with 2.
    static func told(_ work: () async throws -> Void) async throws {
        do {
            try await work()
        } catch let fault as CannotCheck {
            FileHandle.standardError.write(Data("wellknown: \(fault)\n".utf8))
            throw ExitCode(2)
        }
    }
}
