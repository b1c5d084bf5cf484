import Foundation
import Testing

@testable import TestKit
@testable import WellKnown

@Suite("Association files", .rules)
struct AssociationFileTests {
    static let paths = ["/auth/sso/authorize", "/sign-in/link/*"]

    static func fingerprint(from first: UInt8) -> String {
        (0..<32).map { String(format: "%02x", first &+ UInt8($0)) }.joined()
    }

    @Test(
        "The Apple file equals the vector byte for byte",
        arguments: [
            ("one-app", "ABCDE12345.com.example.app"),
            ("two-apps", "ABCDE12345.com.example.app, 9876543210.com.example.app-beta"),
        ])
    func apple(vector: String, setting: String) throws {
        let file = try #require(AppleAppSiteAssociation(appIDs: try AppleAppID.list(setting), paths: Self.paths))
        #expect(file.json() == (try Self.vector("aasa/\(vector).json")))
    }

    @Test(
        "The Android file equals the vector byte for byte",
        arguments: [
            ("one-app", "com.example.app=\(fingerprint(from: 0))"),
            (
                "two-apps",
                "com.example.app=\(fingerprint(from: 0));\(fingerprint(from: 0xA0)),com.example.beta_2=\(fingerprint(from: 0xE0))"
            ),
        ])
    func android(vector: String, setting: String) throws {
        let file = try #require(AssetLinks(apps: try AndroidApp.list(setting)))
        #expect(file.json() == (try Self.vector("assetlinks/\(vector).json")))
    }

    @Test("Without an app there is no file, not a file with an empty list")
    func nothingToSay() throws {
        #expect(AppleAppSiteAssociation(appIDs: [], paths: Self.paths) == nil)
        #expect(AppleAppSiteAssociation(appIDs: [try AppleAppID("ABCDE12345.a")], paths: []) == nil)
        #expect(AssetLinks(apps: []) == nil)
    }

    @Test("A path with quotes, backslashes and control characters is one JSON string")
    func escapes() throws {
        let path = "/a\"b\\c\n\u{1}/é\u{2028}😀"
        let file = try #require(AppleAppSiteAssociation(appIDs: [try AppleAppID("ABCDE12345.a")], paths: [path]))
        let root = try JSONSerialization.jsonObject(with: Data(file.json())) as? [String: [String: Any]]
        let details = root?["applinks"]?["details"] as? [[String: Any]]
        #expect(details?.first?["components"] as? [[String: String]] == [["/": path]])
    }

    static func vector(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: TestVectors.folder.appending(path: name)))
    }
}
