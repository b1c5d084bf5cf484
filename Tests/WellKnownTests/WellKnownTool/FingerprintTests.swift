import Foundation
import Testing
import WellKnown

@testable import TestKit
@testable import WellKnownTool

@Suite("wellknown fingerprint", .deployment)
struct FingerprintTests {
    @Test(
        "Every kind of file results in the value that its own tool prints",
        arguments: [
            ("new.pem", nil, "PEM", [CertificateVector.new]),
            ("v1.apk", nil, "APK", [CertificateVector.new]),
            ("v2.apk", nil, "APK", [CertificateVector.new]),
            ("v3.apk", nil, "APK", [CertificateVector.new]),
            ("rotated.apk", nil, "APK", [CertificateVector.new, CertificateVector.old]),
            ("debug.jks", nil, "JKS", [CertificateVector.debug]),
            ("modern.p12", "correct", "PKCS#12", [CertificateVector.new]),
            ("legacy.p12", "correct", "PKCS#12", [CertificateVector.new]),
            ("chain.p7b", nil, "PEM", [CertificateVector.new, CertificateVector.old]),
            // The upload certificate of a bundle does not belong in the file.
            ("signed.aab", nil, "Android App Bundle", []),
        ] as [(String, String?, String, [String])])
    func kinds(name: String, password: String?, format: String, listed: [String]) throws {
        let report = FingerprintReport(file: name, reading: try CertificateVector.read(name, password: password))
        #expect(report.reading.format.rawValue == format)
        #expect(report.listed == listed)
    }

    @Test("The other forms of the hash equal those of openssl and WebAuthn")
    func forms() throws {
        let certificate = try #require(try CertificateVector.read("new.pem").entries.first).certificate
        #expect(certificate.sha1 == "7C:52:21:E2:E1:4B:F4:3D:2D:B5:E0:C1:CD:4F:81:52:FF:BE:6E:62")
        #expect(certificate.apkKeyHash == "wYRaQSidfqNdiF3866VB0FotaHicHonX5yUEFyk7JpQ")
        #expect(certificate.subject == "O=Example,CN=new key")
        #expect(certificate.key == "EC 256")
        #expect((certificate.notBefore.day, certificate.notAfter.day) == ("2026-11-21", "2051-07-13"))
    }

    @Test("A key store with two keys shows both with their aliases, also in other alphabets")
    func aliases() throws {
        let entries = try CertificateVector.read("two.p12", password: "correct").entries
        #expect(entries.map(\.alias) == ["first", "second"])
        #expect(entries.map(\.certificate.subject) == ["CN=First", "CN=Zweite Ü"])
        #expect(entries.allSatisfy { $0.role == .keyEntry })
    }

    @Test("The issuer in a key store is shown and not listed")
    func issuers() throws {
        let reading = try CertificateVector.read("modern.p12", password: "correct")
        #expect(reading.entries.map(\.role) == [.keyEntry, .chain])
        #expect(FingerprintReport(file: "", reading: reading).listed == [CertificateVector.new])
    }

    @Test(
        "A key store that cannot be opened is reported with the reason and without delay",
        arguments: [
            ("modern.p12", nil, .passwordNeeded), ("modern.p12", "wrong", .wrongPassword),
            ("legacy.p12", "wrong", .wrongPassword), ("modern.p12", "correct\0", .wrongPassword),
            ("slow-mac.p12", "correct", .tooManyRounds), ("slow-cipher.p12", "correct", .tooManyRounds),
        ] as [(String, String?, CertificateError)])
    func closed(name: String, password: String?, fault: CertificateError) {
        #expect(throws: fault) { try CertificateVector.read(name, password: password) }
    }

    @Test("A rotated key is shown with its Android versions and the previous key")
    func rotation() throws {
        let reading = try CertificateVector.read("rotated.apk")
        #expect(reading.entries.map(\.role) == [.signer, .formerSigner])
        #expect(reading.entries.first?.apiLevels?.lowerBound == 24)
        #expect(reading.notes.contains { $0.contains("rotated") })
    }

    @Test("The output for a bundle notes that the store signs with another key, signed or not")
    func bundles() throws {
        let reading = try CertificateVector.read("signed.aab")
        #expect(reading.entries.map(\.role) == [.uploadKey])
        #expect(reading.notes.contains { $0.contains("app-signing key") })
    }

    @Test(
        "A file without a certificate is rejected with the reason",
        arguments: [
            ("", "this is not a certificate"), ("hello", "this is not a certificate"), ("0", "neither an X.509"),
            ("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", "only: PUBLIC KEY"),
            ("-----BEGIN CERTIFICATE-----\nAAAA\n", "no END line"),
            ("-----BEGIN CERTIFICATE-----\n!!!!\n-----END CERTIFICATE-----\n", "not base64"),
            ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "no X.509 certificate"),
            ("PK\u{3}\u{4}", "has no end"), ("PK\u{5}\u{6}", "has no end"),
        ])
    func refusals(text: String, reason: String) throws {
        do {
            _ = try CertificateFile.read(Data(text.utf8)) { () throws(CertificateError) in nil }
            Issue.record("it was read")
        } catch { #expect("\(error)".contains(reason)) }
    }

    @Test("An unsigned APK is reported as unsigned")
    func unsigned() throws {
        #expect(throws: CertificateError.self) { try CertificateVector.read("unsigned.apk") }
    }

    @Test("A debug certificate causes a warning, and the text ends with the line to paste")
    func report() throws {
        let report = FingerprintReport(file: "debug.jks", reading: try CertificateVector.read("debug.jks"))
        #expect(report.findings.map(\.code) == ["fp.android-studio-debug"])
        #expect(report.text.hasSuffix("\"sha256_cert_fingerprints\": [\"\(CertificateVector.debug)\"]\n"))
    }

    @Test("No text from a file can control the terminal")
    func printable() {
        #expect("a\u{1b}[2Jb\u{202e}c\u{9b}\n".printable == #"a\u{1b}[2Jb\u{202e}c\u{9b}\u{a}"#)
        #expect("CN=Zweite Ü 😀".printable == "CN=Zweite Ü 😀")
    }
}
