import ArgumentParser
import Foundation
import SSOShared

struct NetworkOptions: ParsableArguments {
    @Flag(help: "Also connect to private, loopback and reserved addresses.") var allowPrivate = false

    @Option(help: ArgumentHelp("Trust the authorities in this PEM file, too.", valueName: "file"), completion: .file())
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
        for entry in resolve where !Self.isResolution(entry) {
            throw ValidationError(
                "--resolve takes host:port:address, as in example.com:443:192.0.2.1, not \(entry.printable)")
        }
    }

    /// Checks an entry here, because libcurl silently ignores an invalid entry and uses DNS.
    private static func isResolution(_ entry: String) -> Bool {
        let parts = entry.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, !parts[0].isEmpty, let port = UInt16(parts[1]), port > 0 else { return false }
        var bytes = in6_addr()
        return parts[2].split(separator: ",", omittingEmptySubsequences: false).allSatisfy { address in
            let bare =
                address.hasPrefix("[") && address.hasSuffix("]")
                ? String(address.dropFirst().dropLast()) : String(address)
            return inet_pton(AF_INET, bare, &bytes) == 1 || inet_pton(AF_INET6, bare, &bytes) == 1
        }
    }

    /// - Throws: ``CannotCheck``.
    func client() throws -> WebClient {
        if let caFile, let fault = HTTPClient.problem(withCAFile: caFile) { throw CannotCheck("--ca-file: \(fault)") }
        var settings = WebSettings()
        settings.timeLimit = .milliseconds(Int(timeLimit * 1000))
        settings.caFile = caFile
        settings.resolve = resolve
        settings.allowsPrivate = allowPrivate
        guard let client = WebClient(settings) else { throw CannotCheck("curl cannot be used") }
        return client
    }
}

/// No check was possible. The program prints the reason and exits with 2.
struct CannotCheck: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }

    /// Runs a command. For ``CannotCheck``, prints the reason to standard error and exits with 2.
    static func reporting(_ work: () async throws -> Void) async throws {
        do {
            try await work()
        } catch let fault as CannotCheck {
            StandardOutput.reportError("\(fault)")
            throw ExitCode(2)
        }
    }
}
