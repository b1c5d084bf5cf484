import Foundation
import Testing
import WellKnown

@testable import IdPApps
@testable import IdPTestKit
@testable import TestKit
@testable import WellKnownTool

@Suite("The example apps", .deployment)
struct ExampleAppTests {
    @Test("every Swift file of the iOS app parses")
    func swiftParses() async throws {
        let files = try ExampleApps.files(in: "ios", withExtension: "swift")
        #expect(files.count >= 7)
        let paths = files.map { ExampleApps.folder.appending(path: $0).path() }
        let run = try await WellKnownRun.command(["/usr/bin/env", "swiftc", "-parse", "-swift-version", "5"] + paths)
        #expect(run.code == 0, "\(run.errors)")
        // A file that does not parse is reported.
        let folder = try TemporaryFolder()
        let broken = try folder.write("struct App {", to: "App.swift")
        #expect(try await WellKnownRun.command(["/usr/bin/env", "swiftc", "-parse", broken]).code == 1)
    }

    @Test("property lists, XML and JSON files are well-formed")
    func wellFormed() throws {
        for path in ["ios/App/Info.plist", "ios/App/App.entitlements"] {
            let list = try PropertyListSerialization.propertyList(
                from: Data(ExampleApps.text(path).utf8), options: [], format: nil)
            #expect(list is [String: Any], "\(path)")
        }
        let xml = try ExampleApps.files(in: "android", withExtension: "xml")
        #expect(xml.count == 5)
        for path in xml { _ = try ProjectXMLReader.read(Array(ExampleApps.text(path).utf8)) }
        #expect(throws: ProjectFileError.self) { try ProjectXMLReader.read(Array("<manifest><a></manifest>".utf8)) }
        let json = try ["ios", "android"].flatMap { try ExampleApps.files(in: $0, withExtension: "json") }
        #expect(json.count == 2)
        for path in json {
            let value = try JSONSerialization.jsonObject(with: Data(ExampleApps.text(path).utf8))
            #expect((value as? [String: Any])?["rules"] is [Any], "\(path)")
        }
    }

    @Test("one file of each app names the server")
    func onePlace() throws {
        for (example, place) in [("ios", "ios/Server.xcconfig"), ("android", "android/gradle.properties")] {
            let naming = try ExampleApps.files(in: example).filter { path in
                try !path.hasSuffix("README.md") && ExampleApps.text(path).contains("idp.example.com")
            }
            #expect(naming == [place])
        }
        let values = try ExampleApps.values(of: "ios/Server.xcconfig")
        let properties = try ExampleApps.values(of: "android/gradle.properties")
        #expect(values["SSO_SERVER_HOST"] == properties["sso.serverHost"])
        #expect(values["SSO_CALLBACK_SCHEME"] == properties["sso.callbackScheme"])
    }

    @Test("Info.plist, entitlements, manifest and code agree with that file")
    func agreement() throws {
        let data = Data(try ExampleApps.built(ios: "App/Info.plist").utf8)
        let info = try #require(
            try PropertyListSerialization.propertyList(from: data, options: [], format: nil) as? [String: Any])
        #expect(info["SSOServer"] as? String == "https://idp.acme.com")
        #expect(info["SSOCallback"] as? String == "com.acme.mainapp:/callback")
        let server = try ExampleApps.text("ios/App/Server.swift")
        #expect(server.contains("\"SSOServer\"") && server.contains("\"SSOCallback\""))

        let manifest = try ClaimedLinks(ExampleApps.builtManifest())
        #expect(manifest.hosts == ["idp.acme.com"])
        #expect(manifest.schemes == ["https", "com.acme.mainapp"])
        let build = try ExampleApps.text("android/app/build.gradle.kts")
        #expect(build.contains(#""\"https://${sso("serverHost")}\"""#))
        #expect(build.contains(#""\"${sso("callbackScheme")}:/callback\"""#))
    }

    @Test("the Android app takes exactly the paths that the identity provider gives to apps")
    func paths() throws {
        let manifest = try ExampleApps.builtManifest()
        #expect(try ClaimedLinks(manifest).paths.sorted() == AssociationRoutes.claimedPaths.sorted())
        let wider = manifest.replacing("/sign-in/link/", with: "/sign-in/")
        #expect(try ClaimedLinks(wider).paths.sorted() != AssociationRoutes.claimedPaths.sorted())
    }

    @Test("wellknown doctor finds no error in both apps, and one when a file names another host or path")
    func doctor() async throws {
        let folder = try await Self.association()
        let entitlements = try ExampleApps.built(ios: "App/App.entitlements")
        let manifest = try ExampleApps.builtManifest()
        let healthy = try await Self.doctor(folder, entitlements, manifest)
        #expect(healthy.code == 0, "\(healthy.output)\(healthy.errors)")
        #expect(healthy.output.contains(" 0 differ"))

        let broken = [
            (entitlements.replacing("applinks:idp.acme.com", with: "applinks:www.acme.com"), manifest),
            (
                entitlements.replacing("applinks:idp.acme.com", with: "applinks:idp.acme.com/auth/sso/authorize"),
                manifest
            ),
            (entitlements, manifest.replacing("\"idp.acme.com\"", with: "\"www.acme.com\"")),
            (entitlements, manifest.replacing("android:autoVerify=\"true\"", with: "")),
        ]
        for (entitlements, manifest) in broken {
            let run = try await Self.doctor(folder, entitlements, manifest)
            #expect(run.code == 1, "\(run.output)")
        }
    }

    @Test("the identity provider's file opens the app for the links that it claims, and for no callback")
    func matches() async throws {
        let folder = try await Self.association()
        for (path, opens) in [
            ("/auth/sso/authorize?client_id=a&state=s", true), ("/sign-in/link/key", true), ("/", false),
            ("/auth/sso/callback?token=t&state=s", false), ("/reset_app", false), ("/auth/native/email", false),
            ("/hotwire_native/sign_in?code=c&verifier=v", false),
        ] {
            let run = try await WellKnownRun.run(["match", folder.path(of: "aasa"), "https://idp.acme.com\(path)"])
            #expect((run.code == 0) == opens, "\(path): \(run.output)")
        }
    }

    // MARK: - The files

    /// Both association files as the identity provider serves them for these apps.
    private static func association() async throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let settings = [
            "IDP_APPLE_APP_IDS": "\(ExampleApps.team).\(ExampleApps.application)",
            "IDP_ANDROID_APPS": "\(ExampleApps.application)=\(ExampleApps.fingerprint)",
        ]
        try await TestDeployment.open(settings: settings) { deployment in
            let probe = HTTPProbe(port: deployment.port, authority: "localhost:4000")
            try folder.write(try await probe.get(AssociationKind.aasa.path).text, to: "aasa")
            try folder.write(try await probe.get(AssociationKind.assetlinks.path).text, to: "assetlinks")
        }
        return folder
    }

    private static func doctor(
        _ folder: TemporaryFolder, _ entitlements: String, _ manifest: String
    ) async throws -> WellKnownRun {
        let files = [
            "--aasa", folder.path(of: "aasa"), "--assetlinks", folder.path(of: "assetlinks"),
            "--entitlements", try folder.write(entitlements, to: "App.entitlements"),
            "--manifest", try folder.write(manifest, to: "AndroidManifest.xml"),
        ]
        return try await WellKnownRun.run(
            ["doctor", ExampleApps.host, "--offline", "--app", "\(ExampleApps.team).\(ExampleApps.application)"] + files
                + ["--package", ExampleApps.application])
    }
}

/// What the intent filters of a manifest claim.
private struct ClaimedLinks {
    let hosts: Set<String>
    let schemes: Set<String>
    /// As an association file writes them: a prefix ends with `*`.
    let paths: [String]

    init(_ text: String) throws {
        let filters = try AndroidManifest(reading: text.utf8).filters
        hosts = Set(filters.flatMap(\.hosts).map(\.name))
        schemes = Set(filters.flatMap(\.schemes))
        paths = try filters.flatMap(\.paths).map { path in
            switch path.kind {
            case .path: path.text
            case .pathPrefix: path.text + "*"
            default: throw ProbeFailure("a path of another kind: \(path)")
            }
        }
    }
}
