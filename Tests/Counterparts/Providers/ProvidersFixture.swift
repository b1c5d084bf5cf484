import SSOWeb

@testable import IdPProviders
@testable import TestKit

/// Reads providers from text and keeps the messages about them.
struct ProvidersFixture {
    static let secret = "GOCSPX-7a1f03c9e2b8"
    /// A P-256 key as in a `.p8` file.
    static let key = (try? TestKeys.new().pem) ?? "libcrypto makes no keys"

    let providers: [Provider]
    let problems, warnings: [String]
    let path: String

    init(_ yaml: String, environment: [String: String] = [:], in folder: TemporaryFolder) throws {
        path = try folder.write(yaml, to: "providers.yaml")
        let reader = SettingsReader(SettingsSource([:]))
        let environment = ["SECRET": Self.secret, "KEY": Self.key].merging(environment) { $1 }
        providers = ProvidersFile(
            path: path, environment: { environment[$0] }, problem: reader.problem, warn: reader.warn,
            checkSecret: { _, _ in }
        ).read()
        (problems, warnings) = (reader.problems, reader.warnings)
    }

    /// An entry of a kind, one key per line, changed line by line.
    ///
    /// - Parameter changes: `key: value` replaces the line of that key or follows at the end, `-key` removes it.
    static func entry(_ kind: Provider.Kind, _ changes: [String] = []) -> String {
        var lines = lines(of: kind)
        for change in changes {
            let key = change.drop { $0 == "-" }.prefix { $0 != ":" && $0 != "\n" }
            let place = lines.firstIndex { $0.hasPrefix("\(key):") }
            if change.hasPrefix("-") {
                lines.removeAll { $0.hasPrefix("\(key):") }
            } else if let place {
                lines[place] = change
            } else {
                lines.append(change)
            }
        }
        return "  - " + lines.joined(separator: "\n    ") + "\n"
    }

    private static func lines(of kind: Provider.Kind) -> [String] {
        let secret = ["client_id: main-app", "client_secret: env:SECRET"]
        let rest =
            switch kind {
            case .oidc: ["issuer: https://idp.example.org/realms/staff"] + secret
            case .microsoft:
                ["issuer: https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0"] + secret
            case .google, .github: secret
            case .apple:
                [
                    "client_id: org.example.sign-in", "team_id: ABCDE12345", "key_id: KEY1234567",
                    "private_key: env:KEY",
                ]
            }
        return ["id: \(kind == .oidc ? "work" : kind.rawValue)", "name: \(names[kind] ?? "")", "kind: \(kind)"] + rest
    }

    private static let names: [Provider.Kind: String] = [
        .oidc: "Work account", .apple: "Apple", .github: "GitHub", .google: "Google", .microsoft: "Microsoft",
    ]
}
