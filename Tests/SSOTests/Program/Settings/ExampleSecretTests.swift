import SSOWeb
import Testing

@testable import RelyingParty
@testable import TestKit

/// ASVS 13.2.3.
@Suite("Secrets that are publicly known", .program)
struct ExampleSecretTests {
    private static func read(_ url: String, listen: String = "127.0.0.1:0", secret: String) -> SettingsReader {
        let reader = SettingsReader(
            SettingsSource([
                "RP_PUBLIC_URL": url, "RP_IDP_URL": "https://sso.example.com",
                "RP_SECRET_KEY": TestSecret.new(),
                "RP_LISTEN": listen, "SSO_CLIENT_ID": "partner", "SSO_SHARED_SECRET": secret,
            ]))
        _ = RelyingPartySettings.read(reader)
        return reader
    }

    @Test(
        "an example secret is a problem where others can reach the program, and a warning in local development",
        arguments: [
            "changeme-changeme-changeme-changeme-42", "Your-Secret-0123456789-abcdefghij-xyz",
            "example-secret-example-secret-example",
        ])
    func copied(secret: String) throws {
        let reached = Self.read("https://partner.example.com", secret: secret)
        let problem = try #require(reached.problems.first)
        #expect(problem.hasPrefix("SSO_SHARED_SECRET"))
        // A new one would be another one than that of the identity provider.
        #expect(problem.contains("idp client rotate") && !problem.contains("openssl"))
        #expect(!problem.contains(secret))
        let open = Self.read("http://localhost:8081", listen: "0.0.0.0:8081", secret: secret)
        #expect(open.problems.count == 1, "a loopback name is not local development when others can connect")
        let trial = Self.read("http://localhost:8081", secret: secret)
        #expect(trial.problems.isEmpty)
        #expect(trial.warnings.contains { $0.hasPrefix("SSO_SHARED_SECRET") })
    }

    @Test("the same holds for a pattern", arguments: ["a", "1234"])
    func patterned(part: String) {
        let secret = String(repeating: part, count: 40)
        let reader = Self.read("https://partner.example.com", secret: secret)
        #expect(reader.problems.contains { $0.contains("pattern") && !$0.contains(part + part) })
        let trial = Self.read("http://localhost:8081", secret: secret)
        #expect(trial.problems.isEmpty && trial.warnings.contains { $0.contains("pattern") })
    }

    @Test("random secrets pass without a warning")
    func random() {
        let reader = Self.read("https://partner.example.com", secret: TestSecret.new())
        #expect(reader.problems.isEmpty && reader.warnings.isEmpty)
    }
}
