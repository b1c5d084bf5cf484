import Foundation
import Testing

@testable import TestKit
@testable import WellKnownTool

@Suite("Certificates in hostile files", .deployment)
struct HostileArchiveTests {
    @Test(
        "A file with changed, missing or overwritten bytes is read or rejected without a crash",
        arguments: [
            "v1.apk", "v2.apk", "rotated.apk", "signed.aab", "debug.jks", "modern.p12", "legacy.p12", "new.pem",
            "chain.p7b",
        ])
    func mutations(name: String) throws {
        let seed = try CertificateVector.data(name)
        var dice = SeededRandom(state: UInt64(name.utf8.count))
        for _ in 0..<300 {
            var bytes = Array(seed)
            for _ in 0...Int.random(in: 0...6, using: &dice) {
                let place = Int.random(in: bytes.indices, using: &dice)
                switch Int.random(in: 0...4, using: &dice) {
                case 0: bytes[place] = .random(in: 0...255, using: &dice)
                case 1: bytes[place] = 0xff
                case 2: bytes.replaceSubrange(place..<min(place + 4, bytes.count), with: [0xff, 0xff, 0xff, 0x7f])
                case 3: bytes.removeSubrange(place..<min(place + 9, bytes.count))
                default: bytes.insert(0, at: place)
                }
                if bytes.isEmpty { bytes = [0x30] }
            }
            _ = try? CertificateFile.read(Data(bytes)) { () throws(CertificateError) in "correct" }
        }
    }

    @Test("Every prefix and every wrong length in a signing block is handled without a crash")
    func lengths() throws {
        let archive = try ZipArchive(try CertificateVector.data("rotated.apk"))
        let value = try #require(try APKSigningBlock(archive)?.values[.v3])
        #expect(try APKSigners.read(value, scheme: .v3).count == 2)
        for offset in 0..<(value.count - 4) {
            for lie: [UInt8] in [[0xff, 0xff, 0xff, 0xff], [0xff, 0xff, 0xff, 0x7f], [0, 0, 0, 0]] {
                var bytes = Array(value)
                bytes.replaceSubrange(offset..<(offset + 4), with: lie)
                _ = try? APKSigners.read(bytes, scheme: .v3)
            }
            _ = try? APKSigners.read(value.prefix(offset), scheme: .v3)
        }
    }

    @Test("After a file that libcrypto rejects, the next file is readable")
    func recovery() throws {
        _ = try? CertificateFile.read(Data([0x30, 0x82, 0xff, 0xff])) { () throws(CertificateError) in "x" }
        #expect(try CertificateVector.read("legacy.p12", password: "correct").entries.count == 1)
    }

    @Test("Inflate restores the text that zlib compressed", arguments: DeflateVector.all)
    func inflate(vector: DeflateVector) throws {
        #expect(try Inflate.unpack(vector.packed, limit: vector.unpacked.count) == vector.unpacked)
        guard !vector.unpacked.isEmpty else { return }
        #expect(throws: Inflate.InflateError.tooLarge) {
            try Inflate.unpack(vector.packed, limit: vector.unpacked.count - 1)
        }
        #expect(throws: Inflate.InflateError.self) { try Inflate.unpack(vector.packed.dropLast(), limit: 1 << 20) }
    }

    @Test(
        "Broken deflate data is rejected",
        arguments: [[], [0x07], [0x01, 1, 0, 0, 0], [0x03, 0x02], [0x05, 0xff, 0xff, 0xff]])
    func broken(packed: [UInt8]) {
        #expect(throws: Inflate.InflateError.self) { try Inflate.unpack(packed, limit: 1 << 20) }
    }
}

/// A text compressed by Python's zlib, without the zlib header.
struct DeflateVector: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let packed: [UInt8]
    let unpacked: [UInt8]

    init(_ name: String, _ packed: String, _ unpacked: [UInt8]) {
        testDescription = name
        self.packed = Array(Data(base64Encoded: packed) ?? Data())
        self.unpacked = unpacked
    }

    static let all = [
        DeflateVector("empty", "AwA=", []),
        DeflateVector("fixed codes", "y0jNyclXyECQAA==", Array("hello hello hello".utf8)),
        DeflateVector("stored", "AQUA+v9oZWxsbw==", Array("hello".utf8)),
        DeflateVector(
            "dynamic codes",
            "7c8LioJAAIBhLW2ylJRysnxhPkaJHjYVZYJaWppISve/yy57i4X5L/DzURTdZ4e8KKuWv79kNc0rTpg0nBJE9UgPi4"
                + "F2qAQvYc2oZ9xY5zHZtUYqYib4WKVWLPNlob/tbg3O03xFH2dlML67XIaE1xZ+Y09qYx8yz5MLQZNipEmgq7Ir3iDb"
                + "VBdz+bf5QjVttMHXrOqApCGcNgC6pycD/biVvPgLty8BZZx7Hwfl7Eiv8ukZrDv7rf/NtdL6BAwWU6PdTR4OezN6kc"
                + "kmnlAdtEER6qM6ChSuSUJH4ek6u+x9S5VFfsj2aYoidEIndEIndEIndEIndEL/L/Qf",
            (0..<3_000).map { UInt8($0 * $0 % 251 / 3) }),
        DeflateVector(
            "one long run",
            "7cExAQAAAMKgrOtfwhKeQAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAbwM=",
            [UInt8](repeating: 97, count: 70_000)),
    ]
}
