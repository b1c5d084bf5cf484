import Foundation
import JWT

@testable import IdPProviders
@testable import TestKit
@testable import WebTestKit

/// How the IdP gets to know a ``StandInProvider``.
extension StandInProvider {
    /// The entry for the list `providers` of `IDP_PROVIDERS_FILE`.
    ///
    /// - Parameters:
    ///   - owned: the domains whose addresses belong to it, beside those of its kind.
    ///   - lines: further keys, such as `prompt: login`.
    func yaml(
        id: String, name: String? = nil, owning owned: [String] = ["example.com"], adding lines: [String] = []
    ) -> String {
        var all = [
            "id: \(id)", "name: \(name ?? "Provider \(id)")", "kind: \(kind.rawValue)", "issuer: \"\(issuer)\"",
            "client_id: \(clientID)",
        ]
        switch kind {
        case .apple:
            all += [
                "team_id: \(apple.teamID)", "key_id: \(apple.keyID)",
                "private_key: \"file:\(folder.path(of: "key.p8"))\"",
            ]
        default:
            if !isPublicClient { all.append("client_secret: \"file:\(folder.path(of: "secret"))\"") }
        }
        if !owned.isEmpty, !lines.contains("email: never") {
            all.append("owns_addresses: [\(owned.joined(separator: ", "))]")
        }
        if algorithm != .rs256 { all.append("algorithms: [\(algorithm.rawValue)]") }
        return "  - " + (all + lines).joined(separator: "\n    ") + "\n"
    }

    /// The text of a file with these entries.
    static func file(_ entries: [String]) -> String { "providers:\n" + entries.joined() }

    /// The provider as the file gives it, for tests below the file.
    func provider(id: String = "work") -> Provider {
        let isApple = kind == .apple
        let credential: Provider.Credential =
            if isApple {
                .apple(AppleKey(teamID: apple.teamID, keyID: apple.keyID, key: apple.key))
            } else if isPublicClient {
                .none
            } else {
                .secret(ProviderSecret(text: clientSecret))
            }
        let scopes =
            switch kind {
            case .apple: ["openid", "name", "email"]
            case .github: ["read:user", "user:email"]
            case .oidc, .google, .microsoft: ["openid", "email", "profile"]
            }
        return Provider(
            id: id, name: "Provider \(id)", kind: kind, issuer: issuer, clientID: clientID, credential: credential,
            scopes: scopes, responseMode: isApple ? .formPost : .query, algorithms: [algorithm])
    }

    /// Writes the files that the entry names, readable by their owner alone.
    func writeSecrets() throws {
        for (name, text) in [("secret", clientSecret), ("key.p8", apple.pem)] {
            chmod(try folder.write(text, to: name), 0o600)
        }
    }
}
