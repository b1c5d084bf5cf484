import SSOShared
import SSOWeb
import Testing

@testable import IdP
@testable import TestSupport

@Suite("The content of the email with the code")
struct EmailCodeMailTests {
    private static func content(service: String?) async throws -> (
        code: String, subject: String, text: String, html: String
    ) {
        let codes = EmailCode(keys: try DerivedKeys.parse(ProcessDeployment.secret(), setting: "IDP_SECRET_KEY"))
        let now = TestClock().now
        let challenge = Challenge(
            id: "chl_one", address: "ann@example.com", isEligible: true,
            codeMAC: codes.mac(of: codes.code(for: "chl_one"), challenge: "chl_one"), service: service, device: "mac",
            language: .english, deviceID: nil, createdAt: now, expiresAt: now + Challenge.lifetime)
        let brand = Brand(name: "Main App")
        let mail = EmailCodeMail(
            challenge: { _ in challenge }, pages: try IdPPages.pages(brand, assets: IdPPages.assets(brand)),
            codes: codes,
            issuer: try PublicOrigin("https://main.example"))
        let content = try #require(try await mail.message(for: "chl_one"))
        return (codes.code(for: "chl_one"), content.subject, content.text, content.html)
    }

    /// ASVS 1.2.1: plain in the text part, escaped in the HTML part, with the same wording in both.
    @Test("the name of a client is text in both parts")
    func escaping() async throws {
        let content = try await Self.content(service: EscapingTests.evil)
        #expect(content.text.contains(EscapingTests.evil))
        #expect(content.html.contains("&lt;script src="))
        #expect(try !ScannedTag.scan(content.html).contains { $0.name == "script" || $0.name == "img" })
    }

    @Test("both parts hold the code once, alone on a line, and the subject does not: subjects show on locked screens")
    func code() async throws {
        let content = try await Self.content(service: "Partner")
        for part in [content.text, content.html] {
            #expect(part.split(whereSeparator: \.isNewline).count { $0 == content.code } == 1)
            #expect(part.ranges(of: content.code).count == 1)
        }
        #expect(!content.subject.contains(content.code))
        #expect(content.subject.contains("Partner"))
    }

    @Test("without a client it names the identity provider")
    func ownSignIn() async throws {
        let content = try await Self.content(service: nil)
        #expect(content.text.contains("main.example"))
        #expect(content.html.contains("https://main.example"))
    }
}
