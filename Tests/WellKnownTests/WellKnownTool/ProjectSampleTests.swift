import Foundation
import SSOShared
import Testing
import WellKnown

@testable import TestKit
@testable import WellKnownTool

/// The first app of each system, for samples with one.
extension ProjectReading {
    fileprivate var entitlements: (file: String?, value: AppEntitlements)? {
        apple.lazy.compactMap { item in item.entitlements.map { (item.file, $0) } }.first
    }
    fileprivate var manifest: (file: String?, value: AndroidManifest)? {
        android.lazy.compactMap { item in item.manifest.map { (item.file, $0) } }.first
    }
    fileprivate var app: String? { apple.lazy.compactMap(\.id.id).first }
    fileprivate var package: String? { android.lazy.compactMap { $0.manifest?.package }.first }
}

/// Sample projects of each kind, in the notations that the vendors document. Each is read without an error, and each field
/// is found: the host, the package or bundle identifier, and the paths.
@Suite("Project files: samples of each kind", .deployment)
struct ProjectSampleTests {
    static let host = "links.acme.com"

    private func reading(_ files: [String: String], defined: [String: String] = [:]) throws -> ProjectReading {
        let folder = try TemporaryFolder()
        for (name, text) in files {
            let place = URL(fileURLWithPath: folder.path(of: name)).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            try folder.write(text, to: name)
        }
        return ProjectReading(try ProjectFolder(folder.path), defined: defined)
    }

    // MARK: Android

    /// Ways in which Gradle files give a placeholder its value. `%` is the host.
    static let gradlePlaceholders = [
        "manifestPlaceholders = [host: \"%\"]", "manifestPlaceholders = [ host : '%' ]",
        "manifestPlaceholders = ['host': '%', other: 'x']", "manifestPlaceholders = [other: \"x\", \"host\": \"%\"]",
        "manifestPlaceholders += [host: \"%\"]",
        "manifestPlaceholders.host = \"x\"\nmanifestPlaceholders = [host: \"%\"]",
        "manifestPlaceholders[\"host\"] = \"%\"", "manifestPlaceholders['host'] = '%'",
        "manifestPlaceholders[\"host\"]=\"%\"", "manifestPlaceholders += mapOf(\"host\" to \"%\")",
        "manifestPlaceholders = mutableMapOf(\"host\" to \"%\")", "addManifestPlaceholders(mapOf(\"host\" to \"%\"))",
        "manifestPlaceholders.putAll(mapOf(\"host\" to \"%\"))",
        "manifestPlaceholders = [\n    other: \"x\",\n    host : \"%\",\n]",
        "// manifestPlaceholders = [host: \"old\"]\nmanifestPlaceholders = [host: \"%\"]",
        "/* manifestPlaceholders = [host: \"old\"] */ manifestPlaceholders = [host: \"%\"]",
        "manifestPlaceholders = [host: \"%\"] // the site", "manifestPlaceholders = [link_host: \"x\", host: \"%\"]",
        "resValue \"string\", \"x\", \"y\"\nmanifestPlaceholders = [host: \"%\"]",
        "manifestPlaceholders += mapOf(\n    \"other\" to \"x\",\n    \"host\" to \"%\"\n)",
    ]

    static func manifest(host: String = "${host}", extra: String = "") -> String {
        """
        <manifest xmlns:android="http://schemas.android.com/apk/res/android">
          <application>
            <activity android:name=".MainActivity" android:exported="true">
              <intent-filter android:autoVerify="true">
                <action android:name="android.intent.action.VIEW" />
                <category android:name="android.intent.category.DEFAULT" />
                <category android:name="android.intent.category.BROWSABLE" />
                <data android:scheme="https" android:host="\(host)" android:pathPrefix="/shop/" />\(extra)
              </intent-filter>
            </activity>
          </application>
        </manifest>
        """
    }

    @Test("A Gradle module fills the manifest's placeholders in", arguments: gradlePlaceholders)
    func gradle(placeholders: String) throws {
        for (name, id) in [
            ("build.gradle", "applicationId \"com.acme.shop\""),
            ("build.gradle.kts", "applicationId = \"com.acme.shop\""),
        ] {
            let text = placeholders.replacing("%", with: Self.host)
            let project = try reading([
                "app/build.gradle\(name.hasSuffix("kts") ? ".kts" : "")":
                    "android {\n  defaultConfig {\n    \(id)\n    minSdk = 24\n    \(text)\n  }\n}\n",
                "app/src/main/AndroidManifest.xml": Self.manifest(),
                "app/src/debug/AndroidManifest.xml": "<manifest/>",
            ])
            let filter = try #require(project.manifest?.value.filters.first)
            #expect(filter.hosts.map(\.name) == [Self.host], "\(text)")
            #expect(project.package == "com.acme.shop" && filter.paths.map(\.text) == ["/shop/"])
            #expect(project.notes.contains { $0.contains("Gradle module") }, "\(project.notes)")
        }
    }

    @Test("A resource is read from strings.xml and from resValue, and --define wins")
    func resources() throws {
        let files = [
            "app/build.gradle": "android { defaultConfig { applicationId 'com.acme.shop' } }",
            "app/src/main/AndroidManifest.xml": Self.manifest(host: "@string/host"),
            "app/src/main/res/values/strings.xml": "<resources><string name=\"host\">\(Self.host)</string></resources>",
        ]
        #expect(try reading(files).manifest?.value.filters.first?.hosts.first?.name == Self.host)
        let defined = try reading(files, defined: ["@string/host": "other.acme.com"])
        #expect(defined.manifest?.value.filters.first?.hosts.first?.name == "other.acme.com")
        var built = files
        built["app/src/main/res/values/strings.xml"] = nil
        built["app/build.gradle"] = "android { defaultConfig { resValue \"string\", \"host\", \"\(Self.host)\" } }"
        #expect(try reading(built).manifest?.value.filters.first?.hosts.first?.name == Self.host)
    }

    // MARK: Flutter and React Native

    struct Tree: Sendable, CustomTestStringConvertible {
        let isFlutter, isKotlin, hasFlavor: Bool
        let configuration: String
        let number: Int

        var testDescription: String { "\(isFlutter ? "Flutter" : "React Native") \(number)" }

        var files: [String: String] {
            let name = isFlutter ? "Runner" : "AcmeShop"
            let gradle = isKotlin ? "build.gradle.kts" : "build.gradle"
            let id = isKotlin ? "applicationId = \"com.acme.shop\"" : "applicationId \"com.acme.shop\""
            var files = [
                "android/app/\(gradle)": "android { defaultConfig { \(id) } }",
                "android/\(gradle)": "allprojects { }",
                "android/app/src/main/AndroidManifest.xml":
                    ProjectSampleTests.manifest(host: ProjectSampleTests.host),
                "android/app/src/profile/AndroidManifest.xml": "<manifest/>",
                "ios/\(name)/\(name).entitlements": XcodeSample.entitlements("applinks:\(ProjectSampleTests.host)"),
                "ios/\(name).xcodeproj/project.pbxproj":
                    XcodeSample(target: name, configuration: configuration, path: "\(name)/\(name).entitlements").text,
                "ios/Pods/Other/Other.entitlements": XcodeSample.entitlements("applinks:other.example"),
            ]
            if isFlutter { files["pubspec.yaml"] = "name: shop\n" } else { files["metro.config.js"] = "" }
            if hasFlavor { files["android/app/src/staging/AndroidManifest.xml"] = "<manifest/>" }
            if !isFlutter { files["app.json"] = "{\"name\": \"AcmeShop\", \"displayName\": \"Shop\"}" }
            return files
        }

        static let all = (0..<40).map { number in
            Tree(
                isFlutter: number < 20, isKotlin: number % 2 == 0, hasFlavor: number % 3 == 0,
                configuration: ["Release", "Release-prod", "release", "Store Release"][number % 4], number: number % 20)
        }
    }

    @Test("Trees of Flutter and React Native are read on both systems", arguments: Tree.all)
    func trees(tree: Tree) throws {
        let project = try reading(tree.files)
        #expect(project.manifest?.value.filters.first?.hosts.map(\.name) == [Self.host])
        #expect(project.package == "com.acme.shop")
        #expect(project.entitlements?.value.associatedDomains?.map(\.raw) == ["applinks:\(Self.host)"])
        #expect(project.app == "K7Q2M9X4TB.com.acme.shop", "\(project.notes)")
        #expect(project.notes.contains { $0.contains(tree.isFlutter ? "Flutter project" : "React Native project") })
        #expect(!project.notes.contains { $0.contains("Pods") })
    }

    // MARK: Xcode

    static let domains: [(raw: String, settings: [String: String])] = [
        ("applinks:links.acme.com", [:]), ("applinks:$(HOST)", ["HOST": "links.acme.com"]),
        ("applinks:${HOST}", ["HOST": "links.acme.com"]), ("applinks:$(SUB).acme.com", ["SUB": "links"]),
        ("applinks:links.$(APEX)", ["APEX": "acme.com"]), ("applinks:$(HOST:default=links.acme.com)", [:]),
        ("applinks:$(HOST:lower)", ["HOST": "LINKS.acme.com"]),
        ("applinks:$(A)", ["A": "$(B)", "B": "links.acme.com"]),
        ("$(SERVICE):links.acme.com", ["SERVICE": "applinks"]), ("$(VALUE)", ["VALUE": "applinks:links.acme.com"]),
    ]

    @Test("Xcode projects give the entitlements their settings, per target and configuration", arguments: 0..<20)
    func xcode(number: Int) throws {
        let (raw, settings) = Self.domains[number % 10]
        var sample = XcodeSample(target: "Shop", configuration: "Release", path: "Shop/Shop.entitlements")
        sample.settings = settings
        sample.isQuoted = number >= 10
        sample.hasSourceRoot = number % 2 == 1
        let project = try reading([
            "Shop.xcodeproj/project.pbxproj": sample.text, "Shop/Shop.entitlements": XcodeSample.entitlements(raw),
            "Shop/ShopDebug.entitlements": XcodeSample.entitlements("applinks:debug.acme.com"),
        ])
        let domain = try #require(project.entitlements?.value.associatedDomains?.first)
        #expect(domain.raw == "applinks:links.acme.com" && domain.service == "applinks", "\(project.notes)")
        #expect(domain.position?.line == 3)
        #expect(project.app == "K7Q2M9X4TB.com.acme.shop")
        #expect(project.notes.contains { $0.contains("ShopDebug.entitlements") && $0.contains("not compared") })
    }

    @Test("An .xcconfig file gives values that the project does not")
    func settingsFile() throws {
        var sample = XcodeSample(target: "Shop", configuration: "Release", path: "Shop/Shop.entitlements")
        sample.settings = [:]
        let project = try reading([
            "Shop.xcodeproj/project.pbxproj": sample.text,
            "Shop/Shop.entitlements": XcodeSample.entitlements("applinks:$(HOST)"),
            "Config/Release.xcconfig": "// The site\nHOST = links.acme.com // of the shop\nOTHER[sdk=*] = x\n",
        ])
        #expect(project.entitlements?.value.associatedDomains?.first?.host == Self.host)
    }

    // MARK: Expo

    @Test("Expo's configuration has the domains and the filters", arguments: 0..<20)
    func expo(number: Int) throws {
        func has(_ bit: Int) -> Bool { number >> bit & 1 == 1 }
        let data =
            #"{"scheme": "https", "host": "links.acme.com", "pathPrefix": "/shop/"\#(has(0) ? #", "port": "443""# : "")}"#
        let ios = """
            {"bundleIdentifier": "com.acme.shop", \(has(1) ? #""appleTeamId": "K7Q2M9X4TB", "# : "")\
            "associatedDomains": ["applinks:links.acme.com"\(has(2) ? #", "webcredentials:links.acme.com""# : "")]}
            """
        let category = has(3) ? #"["BROWSABLE", "DEFAULT"]"# : #"["DEFAULT", "BROWSABLE"]"#
        let android = """
            {"package": "com.acme.shop", "intentFilters": [{"action": "VIEW", "autoVerify": true,
            "data": \(number % 5 == 0 ? data : "[\(data)]"), "category": \(category)}]}
            """
        let inner = "{\"name\": \"Shop\", \"slug\": \"shop\", \"ios\": \(ios), \"android\": \(android)}"
        let text = number % 3 == 0 ? inner : "{\"expo\": \(inner)}"
        let project = try reading([number % 4 == 0 ? "app.config.json" : "app.json": text])
        #expect(project.entitlements?.value.associatedDomains?.first?.raw == "applinks:links.acme.com")
        let filter = try #require(project.manifest?.value.filters.first)
        #expect(filter.takesWebLinks && filter.isVerifiable && filter.hosts.map(\.name) == [Self.host])
        #expect(filter.paths.map(\.text) == ["/shop/"] && project.package == "com.acme.shop")
        #expect((project.app == "K7Q2M9X4TB.com.acme.shop") == has(1))
        #expect(filter.hosts.first?.position != nil)
    }

    @Test("What is no configuration of Expo is rejected, and one domain in place of a list is read")
    func wrongExpo() throws {
        let lone = try ExpoConfig(reading: Array(#"{"expo": {"ios": {"associatedDomains": "applinks:a.com"}}}"#.utf8))
        #expect(lone?.hasLoneDomain == true && lone?.domains?.map(\.raw) == ["applinks:a.com"])
        #expect(throws: ProjectFileError.self) { try ExpoConfig(reading: Array(#"{"name": "x"}"#.utf8)) }
        let other = try ExpoConfig(reading: Array("<plist/>".utf8))
        let isOther = if case nil = other { true } else { false }
        #expect(isOther)
    }

    // MARK: Archives

    @Test("The compiled manifest of an APK is read", arguments: 0..<20)
    func apk(number: Int) throws {
        var encoder = BinaryXMLEncoder()
        encoder.isUTF8 = number % 2 == 0
        encoder.leavesNamesOut = number % 3 == 0
        encoder.hasRawValues = number % 5 != 0
        let extra = number % 4 == 0 ? "<data android:host=\"@string/other\" />" : ""
        let root = try ProjectXMLReader.read(Self.manifest(host: Self.host, extra: extra).utf8)
        let folder = try TemporaryFolder()
        let path = folder.path(of: "app.apk")
        try Data(StoredZip.bytes(["AndroidManifest.xml": encoder.bytes(root)])).write(to: URL(fileURLWithPath: path))
        let filter = try #require(try ProjectFiles.manifest(path).filters.first)
        #expect(filter.hosts.first?.name == Self.host && filter.autoVerify && filter.takesWebLinks)
        #expect(filter.paths.map(\.text) == ["/shop/"] && filter.isExported == true && filter.position?.line == 4)
        if number % 4 == 0, !encoder.hasRawValues {
            #expect(filter.hosts.last.map { BuildPlaceholder.isIn($0.name) } == true)
        }
    }

    @Test("A compiled manifest that is cut off is rejected")
    func brokenBinary() throws {
        let root = try ProjectXMLReader.read(Self.manifest(host: Self.host).utf8)
        let bytes = BinaryXMLEncoder().bytes(root)
        // The last 24 bytes come after the root element.
        for count in stride(from: 0, to: bytes.count - 4 - 24, by: 3) {
            #expect(throws: ProjectFileError.self) {
                try AndroidManifest(reading: [3, 0, 8, 0] + bytes.dropFirst(4).prefix(count))
            }
        }
        let message = ProtoXMLEncoder().bytes(root)
        for count in stride(from: 0, to: message.count, by: 3) {
            #expect(throws: ProjectFileError.self) { try ProtoXML.read(Array(message.prefix(count))) }
        }
    }

    @Test("The manifest of an app bundle is read", arguments: 0..<20)
    func bundle(number: Int) throws {
        var encoder = ProtoXMLEncoder()
        encoder.hasCompiledValues = number % 2 == 0
        encoder.hasTexts = number % 3 == 0
        encoder.hasLines = number % 5 != 0
        let root = try ProjectXMLReader.read(Self.manifest(host: Self.host).utf8)
        let folder = try TemporaryFolder()
        let path = folder.path(of: "app.aab")
        let entries = ["base/manifest/AndroidManifest.xml": encoder.bytes(root), "BundleConfig.pb": [UInt8(0)]]
        try Data(StoredZip.bytes(entries)).write(to: URL(fileURLWithPath: path))
        let filter = try #require(try ProjectFiles.manifest(path).filters.first)
        #expect(filter.hosts.map(\.name) == [Self.host] && filter.autoVerify && filter.takesWebLinks)
        #expect(filter.isExported == true && filter.position?.line == (encoder.hasLines ? 4 : 1))
    }

    @Test("The entitlements in an .ipa are those of the executable's signature", arguments: 0..<20)
    func ipa(number: Int) throws {
        let list = XcodeSample.entitlements("applinks:\(Self.host)")
        let blob = Array(list.utf8)
        let length = UInt32(blob.count + 8)
        let signature =
            [0xfa, 0xde, 0x71, 0x71] + (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + blob
        // The magic number also appears by chance, without a property list after it.
        let noise = number % 2 == 0 ? [0xfa, 0xde, 0x71, 0x71, 0, 0, 0, 12, 1, 2, 3, 4] as [UInt8] : []
        let name = number % 3 == 0 ? "Shop" : "Acme Shop"
        var entries: [String: [UInt8]] = [
            "Payload/\(name).app/\(name)": noise + Array(repeating: 7, count: number * 13) + signature + [0, 0],
            "Payload/\(name).app/Frameworks/X.framework/X": [1, 2, 3],
        ]
        if number % 4 != 0 {
            entries["Payload/\(name).app/Info.plist"] = Array(
                "<plist><dict><key>CFBundleExecutable</key><string>\(name)</string></dict></plist>".utf8)
        }
        if number % 5 == 0 {
            entries["Payload/\(name).app/embedded.mobileprovision"] = Array(DoctorSetUp().profile.utf8)
        }
        let folder = try TemporaryFolder()
        let path = folder.path(of: "Shop.ipa")
        try Data(StoredZip.bytes(entries)).write(to: URL(fileURLWithPath: path))
        #expect(try ProjectFiles.entitlements(path).associatedDomains?.map(\.raw) == ["applinks:\(Self.host)"])
        if number % 5 == 0 {
            #expect(try ProjectFiles.profile(path).teamIdentifiers == ["4J6K8M2N9P"])
        } else {
            #expect(throws: ProjectFiles.ReadError.self) { try ProjectFiles.profile(path) }
        }
    }

    @Test("The program finds the files of a project and says what it looked at")
    func program() async throws {
        let folder = try TemporaryFolder()
        for (name, text) in Tree.all[0].files {
            let place = URL(fileURLWithPath: folder.path(of: name)).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            try folder.write(text, to: name)
        }
        try folder.write(SampleFiles.aasa, to: "aasa.json")
        try folder.write(SampleFiles.assetLinks, to: "assetlinks.json")
        let run = try await WellKnownRun.run(
            [
                "doctor", Self.host, "--project", ".", "--offline", "--aasa", "aasa.json", "--assetlinks",
                "assetlinks.json",
            ], in: folder.path)
        let text = run.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for part in [
            "Looked at", "./android/app/src/main/AndroidManifest.xml (Android manifest): 1 intent filters for links",
            "Runner.entitlements (entitlements): of Runner in Release",
            "ok the app's id project K7Q2M9X4TB.com.acme.shop",
            "ok the app's package manifest com.acme.shop", "ok the associated domain", "ok the intent filter",
        ] {
            #expect(text.contains(part), "\(part)\n\(run.output)\(run.errors)")
        }
        let empty = try await WellKnownRun.run(
            ["doctor", Self.host, "--project", "missing", "--offline"], in: folder.path)
        #expect(empty.code == 2 && empty.errors.contains("not a folder"))
    }
}
