import Foundation

@testable import Counterparts
@testable import IdPProviders
@testable import TestKit

/// Entries of real providers for pages that name them. Nothing is sent there.
enum UnvisitedProviders {
    /// Settings with a file of these entries.
    static func settings(
        in folder: TemporaryFolder, _ kinds: [Provider.Kind] = [.apple, .google, .microsoft, .github, .oidc]
    ) throws -> [String: String] {
        try settings(in: folder, entries: kinds.map { try entry($0, in: folder) })
    }

    static func settings(in folder: TemporaryFolder, entries: [String]) throws -> [String: String] {
        ["IDP_PROVIDERS_FILE": try folder.write(StandInProvider.file(entries), to: "providers.yaml")]
    }

    /// One entry. Its id is ``Provider/Kind/testID`` unless another one is given.
    static func entry(
        _ kind: Provider.Kind, in folder: TemporaryFolder, id: String? = nil, name: String? = nil,
        issuer: String? = nil
    ) throws -> String {
        let id = id ?? kind.testID
        var lines = [
            "id: \(id)", "name: \(name ?? "Provider \(id)")", "kind: \(kind.rawValue)", "client_id: client-of-\(id)",
        ]
        let secret = try folder.write(
            kind == .apple ? try TestKeys.new().pem : TestSecret.new(), to: "secret-of-\(id)")
        chmod(secret, 0o600)
        lines +=
            kind == .apple
            ? ["team_id: TEAM123456", "key_id: KEY7890123", "private_key: \"file:\(secret)\""]
            : ["client_secret: \"file:\(secret)\""]
        switch kind {
        case .microsoft:
            let tenant = "8eaef023-2b34-4da1-9baa-8bc8c9d6a490"
            lines.append("issuer: \(issuer ?? "https://login.microsoftonline.com/\(tenant)/v2.0")")
        case .oidc: lines.append("issuer: \(issuer ?? "https://idp.example.org/realms/staff")")
        case .apple, .github, .google: if let issuer { lines.append("issuer: \(issuer)") }
        }
        return "  - " + lines.joined(separator: "\n    ") + "\n"
    }
}
