import Testing

@testable import SSOShared
@testable import TestKit

@Suite("Shared secrets", .rules)
struct SharedSecretTests {
    static let text = "correct-horse-battery-staple-0123456789"

    @Test(
        "white space at the ends is removed, and the warning names the setting",
        arguments: [
            text + " ", text + "\n", text + "\r\n", "\t" + text, " \r\n" + text + "\u{a0}\u{3000}\n\n",
        ])
    func trimmed(_ pasted: String) throws {
        let secret = try SharedSecret.parse(pasted, setting: "SSO_SHARED_SECRET")
        #expect(secret.bytes == [UInt8](Self.text.utf8))
        let warning = try #require(secret.warning)
        #expect(warning.contains("SSO_SHARED_SECRET") && !warning.contains("horse"))
        #expect(secret.isSame(as: try SharedSecret.parse(Self.text, setting: "S")))
    }

    @Test("a valid secret has no warning, and its text's bytes are the key, hex digits too")
    func clean() throws {
        let hex = String(repeating: "0123456789abcdef", count: 4)
        let secret = try SharedSecret.parse(hex, setting: "S")
        #expect(secret.warning == nil)
        #expect(secret.bytes == [UInt8](hex.utf8))
        #expect(try SharedSecret.parse("pässwörter-sind-auch-nur-bytes!", setting: "S").bytes.count == 33)
    }

    @Test(
        "a value that looks like an accident is refused, by name and never by value",
        arguments: [
            ("", SharedSecretError.Cause.empty), (" \r\n\t ", .empty),
            ("0123456789012345678901234567890", .tooShort(bytes: 31)),
            ("0123456789012345678901234567890 ", .tooShort(bytes: 31)),
            ("0123456789abcdef 0123456789abcdef", .innerWhiteSpace),
            ("0123456789abcdef\n0123456789abcdef", .innerWhiteSpace),
            ("0123456789abcdef\r\n0123456789abcdef", .innerWhiteSpace),
            ("0123456789abcdef\u{a0}0123456789abcdef", .innerWhiteSpace),
            ("0123456789abcdef\u{2028}0123456789abcdef", .innerWhiteSpace),
            ("0123456789abcdef\u{0}0123456789abcdef", .controlCharacter),
            ("0123456789abcdef0123456789abcdef\u{0}", .controlCharacter),
            ("0123456789abcdef\u{1b}0123456789abcdef", .controlCharacter),
            ("0123456789abcdef\u{7f}0123456789abcdef", .controlCharacter),
            ("\u{feff}0123456789abcdef0123456789abcdef", .invisibleCharacter),
            ("0123456789abcdef\u{200b}0123456789abcdef", .invisibleCharacter),
            ("0123456789abcdef\u{fffd}0123456789abcdef", .notUTF8),
            ("\"0123456789abcdef0123456789abcdef\"", .quoted), ("'0123456789abcdef0123456789abcdef'", .quoted),
            ("\u{201c}0123456789abcdef0123456789abcdef\u{201d}\n", .quoted),
        ])
    func refused(_ text: String, _ cause: SharedSecretError.Cause) {
        let error = #expect(throws: SharedSecretError.self) { try SharedSecret.parse(text, setting: "PARTNER_SECRET") }
        #expect(error?.cause == cause)
        #expect(error?.description.hasPrefix("PARTNER_SECRET: ") == true)
        #expect(error?.description.contains("0123456789") == false)
    }

    @Test("the fingerprint is the same at both ends and in every language")
    func fingerprint() throws {
        // printf %s sso-fingerprint-v1 | openssl dgst -sha256 -hmac correct-horse-battery-staple-0123456789 | cut -c1-8
        let secret = try SharedSecret.parse(Self.text, setting: "S")
        #expect(secret.fingerprint == "2d8ee525")
    }

    @Test("no way of printing a secret shows it")
    func redacted() throws {
        let secret = try SharedSecret.parse(Self.text, setting: "S")
        let keys = try DerivedKeys.parse(Self.text, setting: "S")
        let signature = RequestSignature.request(body: [1], secret: secret)
        var dumped = ""
        dump(secret, to: &dumped)
        dump([keys], to: &dumped)
        dump(signature, to: &dumped)
        let shown =
            "\(secret)\(String(reflecting: secret))\(keys)\([keys])\(signature)\(Optional(signature) as Any)" + dumped
        #expect(!shown.contains("horse") && !shown.contains("99, 111, 114") && !shown.contains("- 111"))
        #expect(!shown.contains(signature.headerValue.dropFirst(7)))
    }

    @Test("the first of several keys seals, and every purpose has its own key")
    func keyRing() throws {
        let other = "another-key-of-more-than-thirty-two-bytes"
        let ring = try DerivedKeys.parse("\(other), \(Self.text)", setting: "IDP_SECRET_KEY")
        let old = try DerivedKeys.parse(Self.text, setting: "IDP_SECRET_KEY")
        #expect(ring.derive("session").count == 2)
        #expect(ring.derive("session")[1] == old.derive("session")[0])
        #expect(ring.derive("session")[0] != old.derive("session")[0])
        #expect(old.derive("session") != old.derive("code"))
        #expect(ring.fingerprints.count == 2 && ring.fingerprints[1] == old.fingerprints[0])
        #expect(ring.warnings.count == 1 && ring.warnings[0].contains("key 2 of 2"))
        #expect(old.warnings == [])
    }

    @Test(
        "an empty or short key anywhere in the list is refused",
        arguments: [
            "", ",", text + ",", "," + text, text + ",short", text + ",," + text,
        ])
    func badRing(_ text: String) {
        #expect(throws: DerivedKeysError.self) { try DerivedKeys.parse(text, setting: "S") }
    }

    @Test("a comma is a separator even before a combining mark, with which it forms another Character")
    func combiningMark() throws {
        #expect(try DerivedKeys.parse(Self.text + ",\u{301}" + Self.text, setting: "S").fingerprints.count == 2)
    }
}
