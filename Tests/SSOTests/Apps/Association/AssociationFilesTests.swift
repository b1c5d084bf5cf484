import Logging
import Testing
import WellKnown

@testable import IdPApps
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit

@Suite("Custom association files", .program)
struct AssociationFilesTests {
    static let aasa = """
        {"applinks":{"details":[{"appIDs":["A1B2C3D4E5.com.example.app"],"components":[{"/":"/shop/*"}]}]},
        "webcredentials":{"apps":["A1B2C3D4E5.com.example.app"]}}
        """

    @Test("the file is served byte for byte, with the same headers as a generated one")
    func served() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.aasa, to: "aasa")
        try await TestDeployment.open(settings: ["IDP_AASA_FILE": path]) { deployment in
            let reply = try await HTTPProbe(port: deployment.port, authority: "localhost:4000")
                .get(AssociationKind.aasa.path)
            #expect(reply.status == 200)
            #expect(reply.text == Self.aasa)
            #expect(reply.header("content-type") == "application/json")
            #expect(reply.header("cache-control") == "public, max-age=300")
            #expect(reply.header("set-cookie") == nil)
        }
    }

    @Test("an error stops the start and is reported with line and column")
    func refused() throws {
        let folder = try TemporaryFolder()
        let broken = try folder.write("{\n  \"applinks\": {\"details\": [}\n}", to: "broken")
        let swapped = try folder.write("[]", to: "swapped")
        for (path, words) in [
            (broken, "\(broken):2:28"), (swapped, "["), (folder.path(of: "missing"), "cannot be read"),
            (folder.path, "cannot be read"),
        ] {
            let reader = SettingsFixture.read(.idp, ["IDP_AASA_FILE": path])
            #expect(reader.problems.contains { $0.hasPrefix("IDP_AASA_FILE: ") && $0.contains(words) }, "\(path)")
        }
    }

    @Test("a list of apps together with a file is refused: it would be unclear which one counts")
    func bothSources() throws {
        let path = try TemporaryFolder().write(Self.aasa, to: "aasa")
        let reader = SettingsFixture.read(
            .idp, ["IDP_AASA_FILE": path, "IDP_APPLE_APP_IDS": "A1B2C3D4E5.com.example.app"])
        #expect(reader.problems.contains { $0.contains("IDP_AASA_FILE") && $0.contains("IDP_APPLE_APP_IDS") })
    }

    @Test("a reload takes a valid file, and keeps the old one when the new one is invalid or missing")
    func reload() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.aasa, to: "aasa")
        let files = AssociationFiles(
            apple: .file(path: path), android: .none, logger: Logger(label: "t") { _ in SwiftLogNoOpLogHandler() })
        let first = try #require(files[.aasa]).tag

        try folder.write(Self.aasa.replacing("/shop/", with: "/news/"), to: "aasa")
        #expect(files[.aasa]?.tag == first, "nothing is read before the reload")
        files.reload()
        let second = try #require(files[.aasa]).tag
        #expect(second != first)

        for broken in ["", "{", Self.aasa.replacing("components", with: "component")] {
            try folder.write(broken, to: "aasa")
            files.reload()
            #expect(files[.aasa]?.tag == second)
        }
        #expect(files[.assetlinks] == nil)
    }
}
