import Testing

@testable import IdPInboundMail
@testable import IdPMail
@testable import IdPServer
@testable import IdPSignIn
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit

@Suite("The settings of inbound mail", .program, .alsoOnPostgres)
struct InboundMailSettingsTests {
    private static let domain = "IDP_INBOUND_MAIL_DOMAIN"
    private static let authservID = "IDP_INBOUND_AUTHSERV_ID"
    private static let secret = "IDP_INBOUND_MAIL_SECRET"
    private static let both = [domain: "Reply.Example.com", authservID: "mx.example.com"]
    private static let own = "inbound" + SettingsFixture.secret

    @Test("without them there is no inbound mail; with both names there is, and the domain is in lower case")
    func both() throws {
        #expect(SettingsFixture.read(.idp).problems.isEmpty)
        let values = try TestDeployment.readIdPSettings(SettingsFixture.idp.merging(Self.both) { $1 })
        let settings = try #require(try values[InboundMailSettings.setting].settings)
        #expect(settings.domain == "reply.example.com")
        #expect(settings.authservID == "mx.example.com")
        #expect(settings.secret == nil)
        let without = try TestDeployment.readIdPSettings(SettingsFixture.idp)
        #expect(try without[InboundMailSettings.setting].settings == nil)
    }

    @Test("a machine without conversion modules gets a warning that names the character sets, and this one gets none")
    func charsets() {
        #expect(InboundMailReader.missingCharsets == [])
        #expect(InboundMailSettings.warning(ofMissing: []) == nil)
        let missing = InboundMailReader.missingCharsets { !$0.hasPrefix("iso-2022") && $0 != "big5" }
        #expect(missing == ["iso-2022-jp", "big5"])
        let warning = InboundMailSettings.warning(ofMissing: missing)
        #expect(
            warning?.hasPrefix("IDP_INBOUND_MAIL_DOMAIN: this machine cannot read text in iso-2022-jp, big5,") == true)
    }

    @Test("check shows them, the secret as its fingerprint")
    func shown() throws {
        let reader = SettingsFixture.read(.idp, Self.both.merging([Self.secret: Self.own]) { $1 })
        #expect(reader.problems.isEmpty)
        let lines = reader.lines.filter { [Self.domain, Self.authservID, Self.secret].contains($0.name) }
        #expect(lines.count == 3)
        #expect(lines.contains { $0.name == Self.secret && $0.shown.hasPrefix("fingerprint ") })
        #expect(!reader.lines.contains { $0.shown.contains(Self.own) })
    }

    @Test("a part without the others it needs is a problem that names both settings")
    func incomplete() {
        let parts = [
            (Self.domain, "reply.example.com", Self.authservID), (Self.authservID, "mx.example.com", Self.domain),
            (Self.secret, Self.own, Self.domain),
        ]
        for (given, value, missing) in parts {
            let problems = SettingsFixture.read(.idp, [given: value]).problems
            #expect(problems.contains { $0.hasPrefix("\(missing): is required with \(given).") }, "\(problems)")
        }
    }

    @Test(
        "a domain that is no domain name is a problem",
        arguments: [
            "localhost", "192.0.2.1", "reply_example.com", "@reply.example.com",
            "reply.example.com:25", "-reply.example.com", "reply..example.com", "reply.example.com/",
            "a" + String(repeating: ".a", count: 110),
        ])
    func domain(_ text: String) {
        let problems = SettingsFixture.read(.idp, Self.both.merging([Self.domain: text]) { $1 }).problems
        #expect(problems.contains { $0.hasPrefix("\(Self.domain): ") }, "\(problems)")
    }

    @Test(
        "a domain is read as its owner meant it",
        arguments: ["reply.example.com.", "Réply.example"])
    func domainAsMeant(text: String) {
        let reader = SettingsFixture.read(.idp, Self.both.merging([Self.domain: text]) { $1 })
        #expect(reader.problems.isEmpty)
        #expect(reader.lines.contains { $0.name == Self.domain && $0.shown == text }, "\(reader.lines)")
    }

    @Test(
        "a name of the mail server with blanks, quotation marks or a semicolon is a problem",
        arguments: [
            "mx example", "\"mx\"", "mx.example.com;", "mx.example.com 1", "mx(1)",
        ])
    func name(_ text: String) {
        let problems = SettingsFixture.read(.idp, Self.both.merging([Self.authservID: text]) { $1 }).problems
        #expect(problems.contains { $0.hasPrefix("\(Self.authservID): ") }, "\(problems)")
    }

    @Test("the secret is no other secret: not the IdP's key, not a client's, and not short")
    func ownSecret() {
        func problems(_ secret: String) -> [String] {
            SettingsFixture.read(.idp, Self.both.merging([Self.secret: secret]) { $1 }).problems
        }
        #expect(problems(SettingsFixture.secret).contains { $0.contains("is the same as \(Self.secret)") })
        let client = problems(SettingsFixture.otherSecret)
        #expect(client.contains { $0.hasPrefix("\(Self.secret): is the same as the secret of the client partner") })
        #expect(!client.joined().contains(SettingsFixture.otherSecret))
        #expect(problems("short").contains { $0.hasPrefix("\(Self.secret): has 5 bytes") })
    }
}
