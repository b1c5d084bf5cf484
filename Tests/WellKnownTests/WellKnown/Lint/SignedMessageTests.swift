import SSOShared
import Testing

@testable import TestKit
@testable import WellKnown

/// The vectors are signed with a test key (openssl cms and smime) that no system trusts. The linter does not verify
/// signatures.
@Suite("Signed files", .rules)
struct SignedMessageTests {
    static let content = #"{"webcredentials": {"apps": ["4J6K8M2N9P.com.acme.shop"]}}"#

    static func vector(_ name: String) throws -> [UInt8] {
        try AssociationFileTests.vector("wellknown/signed/\(name)")
    }

    // Sources: RFC 5652 section 5 (DER, and BER of indefinite length as OpenSSL streams it); RFC 7468; RFC 8551.
    @Test(
        "the content is found and linted in every form",
        arguments: ["definite.der", "streamed.der", "armored.pem", "letter.eml", "clear.eml"])
    func found(name: String) throws {
        let report = AssociationLint.lint(body: try Self.vector(name), as: .aasa)
        #expect(report.findings.map(\.code) == ["body.signed"])
        #expect(report.findings.map(\.severity) == [.warning])
        #expect(report.document.root == JSONReader.read(Self.content.utf8).root)
        #expect(report.aasa?.webcredentials.value?.appIDs == ["4J6K8M2N9P.com.acme.shop"])
    }

    @Test("a detached signature and a signed Android file are errors")
    func notFound() throws {
        let detached = AssociationLint.lint(body: try Self.vector("detached.der"), as: .aasa)
        #expect(detached.findings.map(\.severity) == [.error])
        let google = AssociationLint.lint(body: try Self.vector("definite.der"), as: .assetlinks)
        #expect(google.findings.first?.severity == .error)
    }

    @Test(
        "a message that is truncated or changed at any byte is handled without a crash",
        arguments: ["definite.der", "streamed.der", "letter.eml", "clear.eml"])
    func hostile(name: String) throws {
        let body = try Self.vector(name)
        for index in body.indices {
            _ = AssociationLint.lint(body: Array(body[..<index]), as: .aasa)
            for byte: UInt8 in [0x00, 0x30, 0x7f, 0x80, 0x84, 0xff] {
                var changed = body
                changed[index] = byte
                #expect(AssociationLint.lint(body: changed, as: .aasa).findings.count < 10)
            }
        }
    }
}
