import Testing

@testable import SSOShared
@testable import TestKit

@Suite("SSO tokens and code challenges", .rules)
struct SSOTokenTests {
    /// Returns given bytes.
    struct Fixed: Randomness {
        let value: [UInt8]
        func bytes(_ count: Int) throws -> [UInt8] { value }
    }

    @Test("a token is sst_ and 43 base64url characters, and can be parsed from its text")
    func shape() throws {
        let token = try SSOToken(randomness: Fixed(value: [UInt8](0..<32)))
        #expect(token.wire == "sst_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8")
        #expect(token.digest == SHA256.hash([UInt8](token.wire.utf8)))
        #expect(SSOToken(wire: token.wire)?.digest == token.digest)
        #expect(try SSOToken().wire != SSOToken().wire)
    }

    @Test("the list of prefixes has every kind of secret of the programs, each once")
    func prefixes() throws {
        let pattern = #/enum \w+: SecretKind \{\s+(?:public |package )?static let prefix = "(\w+)"/#
        let files = try TextSources.files(in: "Sources", ending: "swift")
        let kinds = files.flatMap { $0.text.matches(of: pattern).map { String($0.1) } }
        #expect(kinds.sorted() == SecretPrefixes.all)
        // Each kind is declared in the form that this looks for.
        let declared = files.flatMap { $0.text.matches(of: #/(enum|struct|class|extension) \w+: [^{]*SecretKind\b/#) }
        #expect(declared.count == kinds.count)
    }

    @Test("a random generator that returns too few bytes makes no token")
    func dry() {
        #expect(throws: RandomnessError.self) { try SSOToken(randomness: Fixed(value: [1, 2, 3])) }
    }

    @Test(
        "any other form is not a token",
        arguments: [
            "", "sst_", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
            "SST_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", "sst_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh",
            "sst_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "sst_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9",
            "sst_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\n", " sst_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
            "sst_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdé8",
        ])
    func refused(_ text: String) {
        #expect(SSOToken(wire: text) == nil)
    }

    @Test("no way of printing a token shows it")
    func redacted() throws {
        let token = try SSOToken()
        var dumped = ""
        dump(token, to: &dumped)
        dump([token], to: &dumped)
        let shown = "\(token) \(String(reflecting: token)) \([token]) \(dumped)"
        #expect(!shown.contains(token.wire.dropFirst(4)) && !shown.contains("\(token.digest[0]), \(token.digest[1])"))
    }

    @Test("the S256 challenge agrees with RFC 7636 appendix B")
    func challenge() throws {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        #expect(CodeChallenge.s256(verifier) == challenge)
        let fresh = try CodeChallenge.makeVerifier()
        #expect(CodeChallenge.isWellFormedVerifier(fresh))
        #expect(CodeChallenge.isWellFormedChallenge(CodeChallenge.s256(fresh)))
    }

    @Test("verifiers and challenges of another form are refused")
    func malformed() {
        #expect(!CodeChallenge.isWellFormedVerifier(String(repeating: "a", count: 42)))
        #expect(CodeChallenge.isWellFormedVerifier(String(repeating: "~", count: 128)))
        #expect(!CodeChallenge.isWellFormedVerifier(String(repeating: "a", count: 129)))
        #expect(!CodeChallenge.isWellFormedVerifier(String(repeating: "+", count: 43)))
        #expect(!CodeChallenge.isWellFormedChallenge("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-c"))
        #expect(!CodeChallenge.isWellFormedChallenge("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM="))
        #expect(!CodeChallenge.isWellFormedChallenge("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cN"))
    }
}
