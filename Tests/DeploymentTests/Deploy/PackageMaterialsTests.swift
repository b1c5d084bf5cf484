import Foundation
import Testing

@testable import TestKit

/// The library of CycloneDX with the published schemas, as `script/setup --test-all` fetches it.
enum CycloneDX {
    private static let library = TestVectors.repository.path + "/.build/cyclonedx_python_lib"
    private static let isInstalled = FileManager.default.fileExists(atPath: library + "/cyclonedx")

    /// Whether the test runs. In CI it always does, and a missing library is a failure.
    static let isAvailable = isInstalled || ProcessInfo.processInfo.environment["CI"] != nil

    /// What is wrong with a bill of materials by the strict schema of CycloneDX 1.5, or nil.
    static func error(in bill: String, folder: TemporaryFolder) async throws -> String? {
        let program = """
            import sys
            from cyclonedx.schema import SchemaVersion
            from cyclonedx.validation.json import JsonStrictValidator
            error = JsonStrictValidator(SchemaVersion.V1_5).validate_str(open(sys.argv[1], encoding="utf-8").read())
            sys.exit(repr(error) if error else 0)
            """
        let run = try await WellKnownRun.command(
            ["/usr/bin/env", "python3", "-c", program, try folder.write(bill, to: "bill.json")],
            environment: ["PYTHONPATH": library, "PYTHONDONTWRITEBYTECODE": "1"])
        return run.code == 0 ? nil : run.errors
    }
}

/// What script/package says of the sources of others. Its programs are stand-ins, the packages and the toolchain are real.
@Suite(
    "The sources in packages", .deployment, .dependsOnMachine,
    .enabled(if: PackageTools.areInstalled, "needs dpkg-deb, gpg, a C compiler and python3-markdown-it"))
struct PackageMaterialsTests {

    @Test("the bill of materials and the notices name every package of Package.resolved with its licence")
    func materials() async throws {
        let made = try await PackageScriptTests.made()
        let components = try #require(try await Self.bill(of: made).content["components"] as? [[String: Any]])
        let resolved = try String(
            contentsOf: PackageScriptTests.root.appending(path: "Package.resolved"), encoding: .utf8)
        let pins = resolved.matches(of: #/"identity" : "(.+)"/#).map { String($0.1) }
        #expect(pins.count > 10 && Set(components.compactMap { $0["name"] as? String }) == Set(pins + ["swift"]))
        #expect(components.allSatisfy { ($0["licenses"] as? [Any])?.count == 1 && $0["version"] is String })
        let notices = try await Self.notices(of: made)
        for pin in pins { #expect(notices.contains("\n\(pin) "), "\(pin)") }
    }

    @Test("parts that come inside others are named with their own licences: libyaml in Yams, ICU in Foundation")
    func inner() async throws {
        let made = try await PackageScriptTests.made()
        let components = try #require(try await Self.bill(of: made).content["components"] as? [[String: Any]])
        for (outer, part, license) in [("yams", "libyaml", "MIT"), ("swift", "icu", "Unicode-3.0")] {
            let parts = components.first { $0["name"] as? String == outer }?["components"] as? [[String: Any]]
            #expect(parts?.map { $0["name"] as? String } == [part])
            let licenses = parts?.first?["licenses"] as? [[String: [String: String]]]
            #expect(licenses == [["license": ["id": license]]])
        }
        let notices = try await Self.notices(of: made)
        for words in [
            "\nlibyaml, inside yams ", "Kirill Simonov", "\nICU 76 with data of Unicode, inside Foundation of Swift ",
            "UNICODE LICENSE V3", "Copyright © 2016-2024 Unicode, Inc.", "Time Zone Database",
        ] {
            #expect(notices.contains(words), "\(words)")
        }
    }

    @Test("a program with BoringSSL is refused, because nothing here names its licence")
    func boringSSL() async throws {
        let folder = try TemporaryFolder()
        let programs = try await PackageScriptTests.programs(
            in: folder, inside: "Sources/CNIOBoringSSL/crypto/mem.cc")
        let run = try await PackageScriptTests.package(["--programs", programs, "--output", folder.path(of: "out")])
        #expect(run.code == 1 && run.errors.contains("idp contains BoringSSL"), "\(run.errors)")
    }

    @Test(
        "the bill of materials is valid by the published schema of CycloneDX, which finds a wrong one",
        .enabled(if: CycloneDX.isAvailable, "script/setup --test-all could not fetch the library of CycloneDX"))
    func schema() async throws {
        let made = try await PackageScriptTests.made()
        let bill = try await Self.bill(of: made).text
        #expect(try await CycloneDX.error(in: bill, folder: made.folder) == nil)
        let wrong = bill.replacing("\"Unicode-3.0\"", with: "\"Unicode-0.3\"")
        let error = try await CycloneDX.error(in: wrong, folder: made.folder)
        #expect(wrong != bill && error?.contains("is not valid") == true, "\(error ?? "none")")
    }
}

extension PackageMaterialsTests {
    private static func bill(
        of made: PackageScriptTests.MadePackages
    ) async throws -> (text: String, content: [String: Any]) {
        let text = try await made.file("swift-sso-idp", "usr/share/doc/swift-sso-idp/sbom.cdx.json")
        return (text, try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]))
    }

    private static func notices(of made: PackageScriptTests.MadePackages) async throws -> String {
        try await made.unpacked("swift-sso-idp", "usr/share/doc/swift-sso-idp/THIRD-PARTY-NOTICES.gz")
    }
}
