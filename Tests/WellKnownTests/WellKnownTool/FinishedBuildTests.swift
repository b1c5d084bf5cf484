import Foundation
import SSOShared
import Testing

@testable import TestKit
@testable import WellKnownTool

/// Finished builds of many kinds, made from compiled manifests and resources and from signatures of real tools: what the
/// doctor says of each, and its exit code.
@Suite("Finished builds: verdicts", .deployment)
struct FinishedBuildTests {
    struct Build: Sendable, CustomTestStringConvertible {
        let name: String
        var isBundle = false
        /// The value of the resource that is the host, or `nil` for a host in the manifest itself.
        var resource: String?
        var hasTable = true
        /// The archive whose signature the build gets.
        var signer: String?
        var listed = [CertificateVector.new]
        /// The first letters of the verdicts: package, filter, and each certificate.
        let verdicts: String
        let code: Int32

        var testDescription: String { name }
    }

    static let builds = [
        Build(name: "JAR signature", signer: "v1.apk", verdicts: "aaa", code: 0),
        Build(name: "scheme v2", signer: "v2.apk", verdicts: "aaa", code: 0),
        Build(name: "scheme v3", signer: "v3.apk", verdicts: "aaa", code: 0),
        Build(name: "wrong: JAR", signer: "v1.apk", listed: [CertificateVector.old], verdicts: "aad", code: 1),
        Build(name: "wrong: v2", signer: "v2.apk", listed: [CertificateVector.old], verdicts: "aad", code: 1),
        Build(name: "wrong: v3", signer: "v3.apk", listed: [CertificateVector.debug], verdicts: "aad", code: 1),
        Build(
            name: "rotated, both listed", signer: "rotated.apk",
            listed: [CertificateVector.old, CertificateVector.new], verdicts: "aaaa", code: 0),
        Build(name: "rotated, the newer listed", signer: "rotated.apk", verdicts: "aaac", code: 0),
        Build(
            name: "rotated, the older listed", signer: "rotated.apk", listed: [CertificateVector.old],
            verdicts: "aaca", code: 0),
        Build(
            name: "wrong: rotated, none listed", signer: "rotated.apk", listed: [CertificateVector.debug],
            verdicts: "aadd", code: 1),
        Build(name: "not signed", verdicts: "aan", code: 0),
        Build(name: "a bundle has the upload key", isBundle: true, signer: "signed.aab", verdicts: "aan", code: 0),
        Build(name: "a bundle that is not signed", isBundle: true, verdicts: "aan", code: 0),
        Build(name: "host of a resource", resource: "links.example.com", signer: "v2.apk", verdicts: "aaa", code: 0),
        Build(
            name: "wrong: another host of a resource", resource: "other.example.com", signer: "v2.apk",
            verdicts: "ada", code: 1),
        Build(
            name: "a resource without a table", resource: "links.example.com", hasTable: false, signer: "v3.apk",
            verdicts: "ana", code: 0),
        Build(
            name: "host of a bundle's resource", isBundle: true, resource: "links.example.com", verdicts: "aan",
            code: 0),
        Build(
            name: "wrong: another host of a bundle's resource", isBundle: true, resource: "other.example.com",
            verdicts: "adn", code: 1),
        Build(
            name: "a bundle's resource without a table", isBundle: true, resource: "links.example.com",
            hasTable: false, verdicts: "ann", code: 0),
    ]

    @Test("A finished build is judged by its own manifest, resources and certificates", arguments: builds)
    func verdict(build: Build) async throws {
        let folder = try TemporaryFolder()
        let file = build.isBundle ? "app.aab" : "app.apk"
        try Data(try archive(build)).write(to: URL(fileURLWithPath: folder.path(of: file)))
        let fingerprints = build.listed.map { "\"\($0)\"" }.joined(separator: ", ")
        try folder.write(
            """
            [{"relation": ["delegate_permission/common.handle_all_urls", "delegate_permission/common.get_login_creds"],
              "target": {"namespace": "android_app", "package_name": "com.acme.shop",
                         "sha256_cert_fingerprints": [\(fingerprints)]}}]
            """, to: "assetlinks.json")
        let (letters, run) = try await Self.doctor(
            "links.example.com", ["--assetlinks", "assetlinks.json", "--manifest", file], in: folder,
            ["the app's package", "the intent filter", "the signing certificate"])
        #expect(letters == build.verdicts && run.code == build.code, "\(run.output)\(run.errors)")
    }

    private func archive(_ build: Build) throws -> [UInt8] {
        let host = build.resource == nil ? "links.example.com" : "@string/link_host"
        let text = ProjectSampleTests.manifest(host: host).replacing(
            "<manifest ", with: "<manifest package=\"com.acme.shop\" ")
        let root = try ProjectXMLReader.read(text.utf8)
        var entries: [String: [UInt8]] = [:]
        if build.isBundle {
            var encoder = ProtoXMLEncoder()
            encoder.hasCompiledValues = false
            entries["base/manifest/AndroidManifest.xml"] = encoder.bytes(root)
            if let value = build.resource, build.hasTable {
                entries["base/resources.pb"] = encoder.resources("link_host", value)
            }
        } else {
            var encoder = BinaryXMLEncoder()
            encoder.reference = 0x7f01_0000
            entries["AndroidManifest.xml"] = encoder.bytes(root)
            if let value = build.resource, build.hasTable { entries["resources.arsc"] = try Self.table(value) }
        }
        guard let signer = build.signer else { return StoredZip.bytes(entries) }
        let signed = try ZipArchive(try CertificateVector.data(signer))
        for entry in signed.entries where entry.name.hasPrefix("META-INF/") {
            entries[entry.name] = try signed.contents(of: entry, limit: 1 << 20)
        }
        let (data, end) = (signed.data, signed.directoryOffset)
        let hasBlock = data[..<end].suffix(16).elementsEqual("APK Sig Block 42".utf8)
        let size = hasBlock ? Int(ZipArchive.number(data, end - 24, 8)) + 8 : 0
        return StoredZip.bytes(entries, block: Array(data[(end - size)..<end]))
    }

    /// A table of aapt2, whose one text `links.example.com` is replaced by another of the same length.
    private static func table(_ value: String) throws -> [UInt8] {
        let place = TestVectors.folder.appending(path: "wellknown/verdicts/turn4/common/app.apk")
        let table = try ZipArchive(try Data(contentsOf: place)).contents(named: "resources.arsc", limit: 1 << 20)
        var bytes = try #require(table)
        let range = try #require(bytes.firstRange(of: Array("links.example.com".utf8)))
        try #require(range.count == value.utf8.count)
        bytes.replaceSubrange(range, with: value.utf8)
        return bytes
    }

    // MARK: iOS

    @Test(
        "An .ipa is judged by the entitlements of its signature and by its profile",
        arguments: [
            ("all as it must be", "", "", "aaa", 0),
            ("wrong: another host", "applinks:example.com", "applinks:www.example.com", "ada", 1),
            ("wrong: another app", "9P.com.example.app<", "9P.com.example.other<", "d", 1),
            ("wrong: a signature without entitlements", "<?xml", "<xml", "", 2),
        ])
    func apple(name: String, text: String, replacement: String, verdicts: String, code: Int32) async throws {
        let files = DoctorSetUp()
        let changed = text.isEmpty ? files.entitlements : files.entitlements.replacing(text, with: replacement)
        #expect(text.isEmpty || changed != files.entitlements)
        let blob = Array(changed.utf8)
        let length = UInt32(blob.count + 8)
        let magic: [UInt8] = [0xfa, 0xde, 0x71, 0x71]
        let head = magic + (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) }
        let folder = try TemporaryFolder()
        try Data(
            StoredZip.bytes([
                "Payload/Shop.app/Shop": [7, 7, 7] + head + blob + [0],
                "Payload/Shop.app/embedded.mobileprovision": Array(
                    files.profile.replacing("2027-", with: "2199-").utf8),
            ])
        ).write(to: URL(fileURLWithPath: folder.path(of: "Shop.ipa")))
        try folder.write(files.aasa, to: "aasa.json")
        let (letters, run) = try await Self.doctor(
            "example.com", ["--aasa", "aasa.json", "--entitlements", "Shop.ipa", "--profile", "Shop.ipa"], in: folder,
            ["the app's id", "the associated domain", "the capability"])
        #expect(letters.hasPrefix(verdicts) && run.code == code, "\(letters)\(run.output)\(run.errors)")
    }

    private static func doctor(
        _ host: String, _ options: [String], in folder: TemporaryFolder, _ subjects: [String]
    ) async throws -> (letters: String, run: WellKnownRun) {
        let run = try await WellKnownRun.run(
            ["doctor", host, "--offline", "--format", "json"] + options, in: folder.path)
        let lines = JSONReader.read(run.output.utf8).root?["lines"]?.array ?? []
        let letters = subjects.flatMap { subject in
            lines.filter { $0["subject"]?.string == subject }.compactMap { $0["verdict"]?.string?.first }
        }
        return (String(letters), run)
    }
}
