import SSOShared
import Testing
import WebAuthn

@testable import TestKit

@Suite("What browsers are asked for", .rules)
struct OptionsTests {
    @Test(
        "creation options ask for a passkey with user verification, the algorithms in their order, and no attestation")
    func creation() {
        let options = CreationOptions(
            Ceremony(relyingPartyID: "example.com", origin: "https://id.example.com", challenge: [0xfb, 0xff]),
            relyingPartyName: "Example \"GmbH\"",
            user: .init(handle: [1, 2, 3], name: "ann@example.com", displayName: "Ann"),
            excluding: [.init(id: [4], transports: ["usb", "nfc"]), .init(id: [5], transports: [])])
        #expect(
            options.json == """
                {"rp":{"id":"example.com","name":"Example \\"GmbH\\""},\
                "user":{"id":"AQID","name":"ann@example.com","displayName":"Ann"},"challenge":"-_8",\
                "pubKeyCredParams":[{"type":"public-key","alg":-7},{"type":"public-key","alg":-8},\
                {"type":"public-key","alg":-257}],"timeout":300000,\
                "excludeCredentials":[{"type":"public-key","id":"BA","transports":["usb","nfc"]},\
                {"type":"public-key","id":"BQ","transports":[]}],\
                "authenticatorSelection":{"residentKey":"required","requireResidentKey":true,\
                "userVerification":"required"},"attestation":"none","extensions":{"credProps":true}}
                """)
    }

    @Test("request options name no credential")
    func request() {
        let options = RequestOptions(
            Ceremony(relyingPartyID: "example.com", origin: "https://id.example.com", challenge: [0xfb, 0xff]))
        #expect(
            options.json == """
                {"challenge":"-_8","timeout":300000,"rpId":"example.com","allowCredentials":[],\
                "userVerification":"required"}
                """)
    }

    @Test(
        "well-known models have a name, others have none",
        arguments: [
            ("fbfc3007154e4ecc8c0b6e020557d7bd", "iCloud Keychain"),
            ("ea9b8d664d011d213ce4b6b48cb575d4", "Google Password Manager"),
            ("50726f746f6e506173 7350726f746f6e".filter { $0 != " " }, "Proton Pass"),
            ("00000000000000000000000000000000", nil),
        ])
    func names(digits: String, name: String?) throws {
        let aaguid = try #require(Hex.decode(digits).flatMap { AAGUID($0) })
        #expect(aaguid.name == name)
        #expect(aaguid.description.filter { $0 != "-" } == digits)
        #expect(AAGUID(aaguid.bytes + [0]) == nil)
    }

    @Test("an authenticator makes no second passkey for an account, and one for another")
    func exclusion() throws {
        let authenticator = SoftwareAuthenticator()
        let registered = try RegistrationCase(authenticator).verified()
        let user = CreationOptions.User(handle: [1], name: "ann@example.com", displayName: "Ann")
        let ceremony = RegistrationCase.ceremony
        let excluding = CreationOptions(
            ceremony, relyingPartyName: "", user: user,
            excluding: [.init(id: registered.id, transports: registered.transports)])
        #expect(throws: ProbeFailure.self) { try authenticator.create(excluding.json, at: ceremony.origin) }
        let other = CreationOptions(ceremony, relyingPartyName: "", user: user, excluding: [])
        _ = try RegistrationResponse(json: Array(try authenticator.create(other.json, at: ceremony.origin).utf8))
            .verify(ceremony)
        #expect(authenticator.credentials.count == 2)
    }
}
