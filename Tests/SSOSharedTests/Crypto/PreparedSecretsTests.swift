import Testing

@testable import SSOShared
@testable import TestKit

@Suite("Secrets of many signers", .rules)
struct PreparedSecretsTests {
    @Test("the secret that made a signature is found among all, of every length about a block, and for its label alone")
    func found() throws {
        let secrets = try [32, 40, 63, 64, 65, 200].map { count in
            try SharedSecret.parse(
                String((0..<count).map { Character(Unicode.Scalar(UInt8(97 + ($0 * count) % 26))) }), setting: "S")
        }
        let (prepared, body) = (PreparedSecrets(secrets), Array("{\"token\":\"sst_x\"}".utf8))
        for (index, secret) in secrets.enumerated() {
            for label in MessageLabel.allCases {
                let signature = RequestSignature.request(body: body, secret: secret, label: label)
                #expect(prepared.index(of: signature, body: body, label: label) == index)
                #expect(prepared.index(of: signature, body: body + [0], label: label) == nil)
                for other in MessageLabel.allCases where other != label {
                    #expect(prepared.index(of: signature, body: body, label: other) == nil)
                }
            }
        }
        #expect(
            PreparedSecrets([]).index(of: .request(body: body, secret: secrets[0]), body: body, label: .verify) == nil)
    }
}
