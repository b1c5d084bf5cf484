import Foundation
import JWT
import SSOShared
import Testing

@testable import TestKit

@Suite("Keys of tokens", .rules)
struct KeyTests {
    private static let x = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"
    private static let y = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
    /// The public key of RFC 8037 A.2.
    private static let edX = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"

    private static func problem(_ jwk: String) -> String? {
        do throws(KeyError) {
            guard let node = try? JSONReader.readStrictly(Array(jwk.utf8)) else { return "not JSON" }
            _ = try PublicKey(node)
            return nil
        } catch { return error.description }
    }

    private static func rsa(_ bits: Int, e: String = "AQAB", last: UInt8 = 0x8f, zeros: Int = 0) -> String {
        var modulus = [UInt8](repeating: 0xb5, count: (bits + 7) / 8)
        modulus[0] = 1 << UInt8((bits - 1) % 8)
        modulus[modulus.count - 1] = last
        return #"{"kty":"RSA","n":"\#(Base64URL.encode([UInt8](repeating: 0, count: zeros) + modulus))","e":"\#(e)"}"#
    }

    @Test(
        "a public key is refused with the reason",
        arguments: [
            (#"{}"#, "a key of type none"),
            (#"{"kty":"oct","k":"c2VjcmV0"}"#, "a key of type oct"),
            (#"{"kty":"rsa","n":"AQAB","e":"AQAB"}"#, "a key of type rsa"),
            (#"{"kty":"EC","crv":"P-256","x":"\#(x)"}"#, "y is missing or not base64url"),
            (#"{"kty":"EC","crv":"P-256","x":"\#(x)","y":1}"#, "y is missing or not base64url"),
            (#"{"kty":"EC","crv":"P-256","x":"\#(x)=","y":"\#(y)"}"#, "x is missing or not base64url"),
            (#"{"kty":"EC","crv":"P-384","x":"\#(x)","y":"\#(y)"}"#, "EC of a curve other than P-256"),
            (#"{"kty":"EC","crv":"secp256k1","x":"\#(x)","y":"\#(y)"}"#, "EC of a curve other than P-256"),
            (#"{"kty":"EC","x":"\#(x)","y":"\#(y)"}"#, "EC of a curve other than P-256"),
            (#"{"kty":"EC","crv":"P-256","x":"\#(y)","y":"\#(x)"}"#, "EC coordinates that are not on the curve"),
            (#"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(x)"}"#, "EC coordinates that are not on the curve"),
            (#"{"kty":"EC","crv":"P-256","x":"AA","y":"\#(y)"}"#, "EC coordinates of another length than 32"),
            (#"{"kty":"EC","crv":"P-256","x":"AA\#(x)","y":"\#(y)"}"#, "x is missing or not base64url"),
            (#"{"kty":"EC","crv":"P-256","x":"AAAA\#(x)","y":"\#(y)"}"#, "EC coordinates of another length than 32"),
            (#"{"kty":"OKP","crv":"X25519","x":"\#(edX)"}"#, "OKP of a curve other than Ed25519"),
            (#"{"kty":"OKP","crv":"Ed448","x":"\#(edX)"}"#, "OKP of a curve other than Ed25519"),
            (#"{"kty":"OKP","crv":"Ed25519","x":"AAAA\#(edX)"}"#, "an Ed25519 key of another length than 32"),
            (#"{"kty":"OKP","crv":"Ed25519"}"#, "x is missing or not base64url"),
            (#"{"kty":"OKP","crv":"Ed25519","x":"\#(edX)","d":"\#(edX)"}"#, "a private key that is published"),
            (rsa(2047), "RSA of 2047 bits"), (rsa(1024), "RSA of 1024 bits"), (rsa(512), "RSA of 512 bits"),
            (rsa(8193), "RSA of 8193 bits"), (rsa(16_384), "RSA of 16384 bits"),
            (rsa(2048, last: 0x8e), "RSA with a modulus that is not an odd number"),
            (rsa(2048, e: "AQ"), "RSA with an unusable exponent"),
            (rsa(2048, e: "AA"), "RSA with an unusable exponent"),
            (rsa(2048, e: "Ag"), "RSA with an unusable exponent"),
            (rsa(2048, e: "AAAB"), "RSA with an unusable exponent"),
            (rsa(2048, e: "AQAAAAE"), "RSA with an unusable exponent"),
            (rsa(2048, e: ""), "e is missing or not base64url"),
            (rsa(2048, e: "AQAB="), "e is missing or not base64url"),
        ])
    func refused(jwk: String, reason: String) { #expect(Self.problem(jwk) == reason) }

    @Test("the coordinates zero, the order of the field and beyond are on no curve")
    func edgesOfTheField() throws {
        let prime = "_____wAAAAEAAAAAAAAAAAAAAAD_______________8"
        let zero = Base64URL.encode([UInt8](repeating: 0, count: 32))
        for (x, y) in [(zero, zero), (prime, zero), (zero, prime), (prime, prime), (Self.x, prime), (prime, Self.y)] {
            #expect(
                Self.problem(#"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)"}"#)
                    == "EC coordinates that are not on the curve")
        }
    }

    @Test(
        "keys at the bounds are taken: RSA of 2048 and 8192 bits, the exponents 3 and 65537, with zero bytes before them"
    )
    func bounds() {
        for jwk in [
            Self.rsa(2048), Self.rsa(8192), Self.rsa(2048, e: "Aw"), Self.rsa(2048, e: "AAEAAQ"),
            Self.rsa(2048, zeros: 2),
        ] { #expect(Self.problem(jwk) == nil) }
        #expect(Self.problem(#"{"kty":"EC","crv":"P-256","x":"\#(Self.x)","y":"\#(Self.y)"}"#) == nil)
        #expect(Self.problem(#"{"kty":"OKP","crv":"Ed25519","x":"\#(Self.edX)"}"#) == nil)
    }

    @Test("a private key in PEM is read with its algorithm, and its public half is that of libcrypto")
    func privateKeys() throws {
        for (kind, algorithm) in [
            (TestKeys.Kind.rsa(2_048), SignatureAlgorithm.rs256), (.rsa(3_072), .rs256), (.curve("P-256"), .es256),
            (.ed25519, .eddsa),
        ] {
            let pem = try TestKeys.new(kind).pem
            let key = try PrivateKey(pem: pem)
            #expect(key.algorithm == algorithm)
            #expect(key.publicMembers.first.map { "\($0)".contains(algorithm.keyType) } == true)
            // A text around the key, as `openssl` writes it.
            #expect(throws: Never.self) { _ = try PrivateKey(pem: "Bag Attributes\n\(pem)\n") }
        }
    }

    @Test("any other text is refused without a word of it")
    func noKey() throws {
        let (good, rsa) = (try TestKeys.new(), try TestKeys.new(.rsa(1_024)).pem)
        for (text, reason) in [
            ("", "a text that holds no private key in PEM"), ("secret", "a text that holds no private key in PEM"),
            (good.publicPEM, "a text that holds no private key in PEM"),
            (String(good.pem.dropLast(80)), "a text that holds no private key in PEM"),
            (
                "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----",
                "a private key with a passphrase"
            ),
            (try TestKeys.new(.curve("P-384")).pem, "a private key that is not of RSA, P-256 or Ed25519"),
            (try TestKeys.new(.curve("secp256k1")).pem, "a private key that is not of RSA, P-256 or Ed25519"),
            (rsa, "RSA of 1024 bits"),
        ] {
            do throws(KeyError) {
                _ = try PrivateKey(pem: text)
                Issue.record("accepted: \(reason)")
            } catch {
                #expect(error.description == reason)
            }
        }
    }

    @Test("a private key prints as <redacted>")
    func redacted() throws {
        let key = try PrivateKey(new: .es256)
        var dumped = ""
        dump(key, to: &dumped)
        #expect("\(key)" == "<redacted>" && String(reflecting: key) == "<redacted>" && !dumped.contains("x"))
    }
}
