import Foundation
import Testing

@testable import TestKit

/// The files of examples/ios and examples/android, with the values that a developer would enter for an app of their own.
///
/// The values in the repository are placeholders, and `wellknown` reports placeholders.
enum ExampleApps {
    static let folder = TestVectors.repository.appending(path: "examples")
    static let host = "idp.acme.com"
    static let application = "com.acme.mainapp"
    static let team = "K7Q2M9X4TB"
    static let fingerprint =
        "3B:7E:10:52:9C:41:D0:AA:5F:62:13:E8:94:07:BC:6D:21:F5:38:0E:C9:76:4A:B2:1D:E3:58:90:AF:04:6B:C7"

    static func text(_ path: String) throws -> String {
        try String(contentsOf: folder.appending(path: path), encoding: .utf8)
    }

    /// The paths of all files of one example, without what developers make or download.
    static func files(in example: String, withExtension ending: String? = nil) throws -> [String] {
        let names = try #require(FileManager.default.enumerator(atPath: folder.appending(path: example).path()))
        return names.compactMap { $0 as? String }.filter { name in
            var isFolder: ObjCBool = false
            let path = folder.appending(path: "\(example)/\(name)").path()
            let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            return exists && !isFolder.boolValue && ending.map { name.hasSuffix(".\($0)") } != false
        }.map { "\(example)/\($0)" }.sorted()
    }

    /// The lines `NAME = VALUE` of a file.
    static func values(of path: String) throws -> [String: String] {
        var values: [String: String] = [:]
        for line in try text(path).split(separator: "\n") where !line.hasPrefix("//") && !line.hasPrefix("#") {
            let halves = line.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard halves.count == 2 else { continue }
            #expect(values.updateValue(halves[1], forKey: halves[0]) == nil, "\(halves[0]) appears twice in \(path)")
        }
        return values
    }

    /// A file of the iOS app as Xcode builds it: every `$(NAME)` of Server.xcconfig is filled in.
    static func built(ios path: String) throws -> String {
        let names = try values(of: "ios/Server.xcconfig")
        let own = [
            "SSO_SERVER_HOST": host, "SSO_CALLBACK_SCHEME": application, "PRODUCT_BUNDLE_IDENTIFIER": application,
            "DEVELOPMENT_TEAM": team,
        ]
        #expect(Set(names.keys) == Set(own.keys))
        return own.reduce(try text("ios/\(path)")) { $0.replacing("$(\($1.key))", with: $1.value) }
    }

    /// The manifest as Gradle builds it: the placeholders of app/build.gradle.kts are filled in from gradle.properties.
    static func builtManifest() throws -> String {
        let names = try values(of: "android/gradle.properties").keys.filter { $0.hasPrefix("sso.") }
        let own = ["sso.serverHost": host, "sso.callbackScheme": application, "sso.applicationId": application]
        #expect(Set(names) == Set(own.keys))
        var manifest = try text("android/app/src/main/AndroidManifest.xml")
        let build = try text("android/app/build.gradle.kts")
        for match in build.matches(of: #/manifestPlaceholders\["(\w+)"\] = sso\("(\w+)"\)/#) {
            manifest = manifest.replacing("${\(match.1)}", with: try #require(own["sso.\(match.2)"]))
        }
        #expect(!manifest.contains("${"))
        return manifest
    }
}
