import ArgumentParser
import CommandLines
import Foundation
import SSOShared

struct CapabilityCommand: CommandOfCommands {
    typealias Root = WellKnownProgram

    static let configuration = CommandConfiguration(
        commandName: "capability", abstract: "The Associated Domains capability of an App ID at Apple.",
        subcommands: [CapabilityEnableCommand.self])
}

struct CapabilityEnableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Enable Associated Domains for an App ID, through the App Store Connect API.",
        discussion: """
            Makes the App ID able to have associated domains; fine if it is already. Profiles made before are invalid \
            afterwards and must be created again.

            Example:
              wellknown capability enable --bundle-id com.example.app \\
                --key AuthKey_ABC123DEFG.p8 --key-id ABC123DEFG \\
                --issuer 57246542-96fe-1a63-e053-0824d011072a --dry-run

            Exit codes: 0 enabled, now or before; 2 it could not be done; 64 wrong usage.
            """)

    @Option(help: ArgumentHelp("The App ID's identifier, exactly, without the prefix.", valueName: "id"))
    var bundleId: String

    @Option(help: ArgumentHelp("The API's private key, AuthKey_….p8.", valueName: "file"), completion: .file())
    var key: String

    @Option(help: ArgumentHelp("The key's id.", valueName: "id")) var keyId: String

    @Option(help: ArgumentHelp("The issuer id that App Store Connect shows above the keys.", valueName: "id"))
    var issuer: String

    @Option(help: ArgumentHelp("Where the API is.", valueName: "url")) var baseUrl = AppStoreConnectAddress.apple

    @Option(help: ArgumentHelp("Trust the authorities in this PEM file, too.", valueName: "file"), completion: .file())
    var caFile: String?

    @Flag(help: "Look, and change nothing.") var dryRun = false

    @Option(help: "text or json.") var format: ReportFormat = .text

    func validate() throws {
        let isIdentifier = bundleId.utf8.allSatisfy { byte in
            byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
        }
        guard isIdentifier, !bundleId.isEmpty, bundleId.utf8.count <= 255 else {
            throw ValidationError("'\(bundleId.printable)' is not a bundle id: letters, digits, dots and hyphens.")
        }
        do throws(AppStoreConnectError) { _ = try AppStoreConnectAddress(baseUrl) } catch {
            throw ValidationError("\(error)")
        }
        for (name, value) in [("--key-id", keyId), ("--issuer", issuer)] {
            guard !value.isEmpty, value.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x2d }) else {
                throw ValidationError("\(name) has letters, digits and hyphens only.")
            }
        }
    }

    func run() async throws {
        do throws(AppStoreConnectError) {
            let address = try AppStoreConnectAddress(baseUrl)
            let pem: Data
            do { pem = try InputBytes.read(key, limit: 65_536) } catch { throw .badKey("\(key): \(error)") }
            let token = AppStoreConnectToken(
                keyID: keyId, issuer: issuer, key: try AppStoreConnectKey(pem: Array(pem), file: key))
            if key != "-", AppStoreConnectKey.isOpenToOthers(key) {
                StandardOutput.reportError("note: \(key.printable) can be read by others on this machine: chmod 600")
            }
            let carrier = try AppStoreConnectWebTransport(isPlaintext: address.isPlaintext, caFile: caFile)
            let client = AppStoreConnectClient(address: address, token: token, carrier: carrier, now: { Date() })
            let result = try await client.enable(bundleID: bundleId, isDryRun: dryRun)
            StandardOutput.write(format == .json ? Self.json(result) : Self.text(result))
        } catch {
            StandardOutput.reportError("\(error)".printable)
            throw ExitCode(2)
        }
    }

    static let profileAdvice =
        "Profiles made before are invalid now: create them again (Xcode does so by itself when it manages signing), and sign "
        + "with the new ones. wellknown doctor shows what a profile allows."

    static func text(_ result: AppStoreConnectClient.Result) -> String {
        let name = result.name.map { " (\($0.printable))" } ?? ""
        let first = "\(result.identifier.printable)\(name): Associated Domains \(result.outcome.rawValue)"
        var lines = [first]
        if let prefix = result.prefix {
            lines.append(
                "The app's id for apple-app-site-association: \(prefix.printable).\(result.identifier.printable)")
        }
        if result.outcome == .enabled { lines.append(TextStyle.wrapped(profileAdvice, first: "", rest: "")) }
        return lines.joined(separator: "\n") + "\n"
    }

    static func json(_ result: AppStoreConnectClient.Result) -> String {
        JSONOutput.text([
            "bundle_id": result.identifier, "outcome": result.outcome.rawValue, "name": result.name,
            "prefix": result.prefix, "app_id": result.prefix.map { "\($0).\(result.identifier)" },
            "profiles_must_be_recreated": result.outcome == .enabled,
        ])
    }
}
