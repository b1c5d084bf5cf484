import Foundation
import JWT
import SSOShared
import Testing

@testable import TestKit

/// A token whose signature a standard or another program has made.
private struct SignedText: Sendable, CustomTestStringConvertible {
    let source: String
    let algorithm: SignatureAlgorithm
    let jwk: String
    let text: String
    let signature: String

    var testDescription: String { source }
    var key: PublicKey { get throws { try PublicKey(JSONReader.readStrictly(Array(jwk.utf8))) } }
    var bytes: [UInt8] { Array(text.utf8) }
    var signatureBytes: [UInt8] { Base64URL.decode(signature) ?? [] }

    static let all = [
        SignedText(
            source: "RFC 7515 A.2", algorithm: .rs256,
            jwk: """
                {"kty":"RSA","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1P\
                t0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUs\
                LA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h\
                9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ","e":"AQAB"}
                """,
            text: """
                eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb29\
                0Ijp0cnVlfQ
                """,
            signature: """
                cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdb\
                F9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383\
                LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWy\
                wlVmtVrBp0igcN_IoypGlUPQGe77Rw
                """),
        SignedText(
            source: "RFC 7515 A.3", algorithm: .es256,
            jwk: """
                {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",\
                "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
                """,
            text: """
                eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb29\
                0Ijp0cnVlfQ
                """,
            signature: "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"),
        SignedText(
            source: "RFC 8037 A.4", algorithm: .eddsa,
            jwk: #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
            text: "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc",
            signature: "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"),
    ]
}

@Suite("Signatures of tokens", .rules)
struct SignatureTests {
    private static let text = Array("eyJhbGciOiJub25lIn0.e30".utf8)

    @Test("the signatures of the standards are valid, and only with their algorithm", arguments: SignedText.all)
    fileprivate func standards(_ signed: SignedText) throws {
        let key = try signed.key
        for algorithm in SignatureAlgorithm.allCases {
            #expect(
                key.isValid(signed.signatureBytes, for: signed.bytes, algorithm) == (algorithm == signed.algorithm),
                "\(algorithm)")
        }
    }

    @Test("no changed signature is valid: each bit, cut, longer, empty, zero", arguments: SignedText.all)
    fileprivate func changed(_ signed: SignedText) throws {
        let (key, signature) = (try signed.key, signed.signatureBytes)
        var wrong = [
            [], [0], Array(signature.dropLast()), Array(signature.dropFirst()), signature + [0], [0] + signature,
        ]
        wrong += [signature + signature, signature.map { _ in 0 }, signature.map { _ in 0xff }, signature.reversed()]
        for index in signature.indices {
            for bit in [0, 3, 7] {
                var flipped = signature
                flipped[index] ^= 1 << UInt8(bit)
                wrong.append(flipped)
            }
        }
        for other in wrong { #expect(!key.isValid(other, for: signed.bytes, signed.algorithm), "\(other)") }
        #expect(!key.isValid(signature, for: signed.bytes + [0], signed.algorithm))
        #expect(!key.isValid(signature, for: Array(signed.bytes.dropLast()), signed.algorithm))
        #expect(!key.isValid(signature, for: [], signed.algorithm))
        #expect(key.isValid(signature, for: signed.bytes, signed.algorithm))
    }

    @Test(
        "every algorithm signs what its public half accepts, and what another key refuses",
        arguments: SignatureAlgorithm.allCases)
    func roundTrip(_ algorithm: SignatureAlgorithm) throws {
        let (key, other) = (try PrivateKey(new: algorithm), try PrivateKey(new: algorithm))
        for bytes in [[], [0], Self.text, [UInt8](repeating: 7, count: 100_000)] {
            let signature = try key.sign(bytes, algorithm)
            #expect(signature.count == (algorithm.keyType == "RSA" ? 256 : 64))
            #expect(try key.publicKey().isValid(signature, for: bytes, algorithm))
            #expect(try !other.publicKey().isValid(signature, for: bytes, algorithm))
        }
    }

    @Test("a key never signs with an algorithm of another type", arguments: SignatureAlgorithm.allCases)
    func otherType(_ algorithm: SignatureAlgorithm) throws {
        let key = try PrivateKey(new: algorithm)
        for other in SignatureAlgorithm.allCases where other.keyType != algorithm.keyType {
            #expect(throws: KeyError.self) { _ = try key.sign(Self.text, other) }
        }
    }

    /// Wycheproof's groups "special values for r and s" and "signature in ASN encoding".
    @Test("r and s between 1 and the order of the group only, in 64 bytes and not in DER")
    func specialNumbers() throws {
        let (signed, order) = (
            SignedText.all[1],
            try #require(Base64URL.decode("_____wAAAAD__________7zm-q2nF56E87nKwvxjJVE"))
        )
        let (key, zero, one) = (
            try signed.key, [UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 31) + [1]
        )
        let (r, s) = (Array(signed.signatureBytes[..<32]), Array(signed.signatureBytes[32...]))
        let largest = [UInt8](repeating: 0xff, count: 32)
        for (first, second) in [
            (zero, zero), (zero, s), (r, zero), (one, one), (zero, one), (one, zero), (order, s), (r, order),
            (order, order), (largest, s), (r, largest), (s, r), (r, r),
        ] {
            #expect(!key.isValid(first + second, for: signed.bytes, .es256))
        }
        // r || s with a leading zero each: 66 bytes, as for P-521.
        #expect(!key.isValid([0] + r + [0] + s, for: signed.bytes, .es256))
        func integer(_ number: [UInt8]) -> [UInt8] {
            let padded = number[0] >= 0x80 ? [0] + number : number
            return [0x02, UInt8(padded.count)] + padded
        }
        let body = integer(r) + integer(s)
        #expect(!key.isValid([0x30, UInt8(body.count)] + body, for: signed.bytes, .es256))
        #expect(key.isValid(r + s, for: signed.bytes, .es256))
    }

    /// RFC 8032 5.1.7: s is less than the order of the group, otherwise a signature could be changed into a second one.
    @Test("an Ed25519 signature whose s is the order larger is refused")
    func malleable() throws {
        let signed = SignedText.all[2]
        let order: [UInt8] =
            [
                0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
            ] + [UInt8](repeating: 0, count: 15) + [0x10]
        var (signature, carry) = (signed.signatureBytes, 0)
        for index in 0..<32 {
            carry += Int(signature[32 + index]) + Int(order[index])
            signature[32 + index] = UInt8(carry & 0xff)
            carry >>= 8
        }
        #expect(carry == 0 && signature != signed.signatureBytes)
        #expect(try !signed.key.isValid(signature, for: signed.bytes, .eddsa))
    }

    /// RFC 8037 A.1 and A.4: Ed25519 has no random part.
    @Test("the private key of RFC 8037 signs as the standard says, and has its public half")
    func privateVector() throws {
        let secret = try #require(Base64URL.decode("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"))
        let der: [UInt8] =
            [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20] + secret
        let key = try PrivateKey(
            pem: "-----BEGIN PRIVATE KEY-----\n\(Data(der).base64EncodedString())\n-----END PRIVATE KEY-----\n")
        let signed = SignedText.all[2]
        #expect(key.algorithm == .eddsa)
        #expect(try key.sign(signed.bytes) == signed.signatureBytes)
        #expect(
            JSONText.object(key.publicMembers)
                == #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#)
    }

    @Test("the command openssl accepts what is signed here, and what it signs is accepted here but for other salts")
    func openssl() async throws {
        let (folder, rsa) = (try TemporaryFolder(), try TestKeys.new(.rsa(2_048)))
        try folder.write(rsa.pem, to: "key.pem")
        try folder.write(rsa.publicPEM, to: "key.pub")
        try folder.write(String(decoding: Self.text, as: UTF8.self), to: "text")
        let key = try PrivateKey(pem: rsa.pem)
        func dgst(_ arguments: [String]) async throws -> ChildProcess.Exit {
            try await ChildProcess(
                "/usr/bin/openssl", ["dgst", "-sha256"] + arguments + ["text"], environment: [:], folder: folder.path,
                standardOutput: "/dev/null", standardError: "/dev/null"
            ).waitForExit()
        }
        func pss(_ salt: Int) -> [String] {
            ["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:\(salt)"]
        }
        for (algorithm, options) in [(SignatureAlgorithm.rs256, []), (.ps256, pss(32))] {
            try Data(try key.sign(Self.text, algorithm)).write(to: URL(filePath: folder.path(of: "signature")))
            #expect(try await dgst(["-verify", "key.pub", "-signature", "signature"] + options) == .code(0))
        }
        for (options, isValid) in [(pss(32), true), (pss(0), false), (pss(20), false), (pss(64), false), ([], false)] {
            #expect(try await dgst(["-sign", "key.pem", "-out", "signature"] + options) == .code(0))
            let signature = [UInt8](try Data(contentsOf: URL(filePath: folder.path(of: "signature"))))
            #expect(try key.publicKey().isValid(signature, for: Self.text, .ps256) == isValid, "\(options)")
            #expect(try key.publicKey().isValid(signature, for: Self.text, .rs256) == options.isEmpty, "\(options)")
        }
    }
}
