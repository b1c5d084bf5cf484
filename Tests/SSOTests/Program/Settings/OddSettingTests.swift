import SSOWeb
import Testing

@testable import IdPFlow
@testable import IdPServer
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit

@Suite("Settings that are wrong in a way that is easily overlooked", .program)
struct OddSettingTests {
    @Test(
        "an idle limit that is longer than the lifetime is a warning, and a default is not",
        arguments: [
            (["IDP_SESSION_IDLE": "2d"], true), (["IDP_SESSION_IDLE": "12h"], false),
            (["IDP_SESSION_LIFETIME": "1h"], false), (["IDP_SESSION_LIFETIME": "3d", "IDP_SESSION_IDLE": "2d"], false),
            (["IDP_SESSION_LIFETIME": "1h", "IDP_SESSION_IDLE": "2h"], true),
        ])
    func idle(settings: [String: String], isOdd: Bool) {
        let reader = SettingsFixture.read(.idp, settings)
        #expect(reader.problems.isEmpty)
        let warnings = reader.warnings.filter { $0.hasPrefix("IDP_SESSION_IDLE: is longer than IDP_SESSION_LIFETIME") }
        #expect(warnings.count == (isOdd ? 1 : 0), "\(reader.warnings)")
    }

    @Test(
        "a place with an error shows the form NETWORK=NAME",
        arguments: ["Berlin=10.1.0.0/16", "10.1.0.0/99=Berlin", "10.1.0.0/16", "Berlin"])
    func places(text: String) {
        let reader = SettingsFixture.read(.idp, ["IDP_PLACES": text])
        let problem = reader.problems.first { $0.hasPrefix("IDP_PLACES: ") } ?? ""
        #expect(problem.contains("10.1.0.0/16=Office Berlin"), "\(reader.problems)")
        #expect(Places.setting.description.explanation.contains("NETWORK=NAME"))
    }

    /// The file, and what is said of it.
    private static let faults: [(text: String, words: String)] = [
        ("clients:\n\t- id: a", ":2: is indented with a tab. Use spaces."),
        ("clients: [", ":2: a value is missing, or the ] or } that ends the list before."),
        ("clients:\n  - id: a\n   name: b", ":3: is indented in another way than the"),
        ("clients:\n  - id: \"a\n", ": a quotation mark is not closed."),
        ("clients:\n  - id: a: b", ":2: has a second colon"), ("clients:\n  - id: *a", "begins with *"),
        ("clients:\n  - id: @a", ":2: a value that begins with @, % or `"),
        ("clients:\n  - id: \"a\\q\"", ":2: \\ in \"…\" begins an escape"),
        ("clients:\n  - {id: a, name: b", "an entry in { } is not closed"),
        ("clients:\n  - id: a\u{1}", ":2: contains a character that text does not have"),
    ]

    @Test("a fault of YAML has its line and words of our own")
    func yaml() throws {
        let folder = try TemporaryFolder()
        for fault in Self.faults {
            let file = try folder.write(fault.text, to: "clients.yaml")
            let problems = SettingsFixture.read(.idp, ["IDP_CLIENTS_FILE": file]).problems
            #expect(
                problems.contains { $0.hasPrefix("IDP_CLIENTS_FILE: ") && $0.contains(fault.words) },
                "\(fault): \(problems)")
            #expect(!problems.contains { $0.contains("did not find") || $0.contains("could not") }, "\(problems)")
        }
    }

    @Test("a variable's name in place of a secret leads to env:NAME, and a secret is not in the message")
    func variables() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            "clients:\n  - {id: a, name: A, access: everyone, redirect_uris: [https://a.example/cb], secrets: [S1, HUNTER2]}\n",
            to: "clients.yaml")
        let problems = SettingsFixture.read(.idp, ["IDP_CLIENTS_FILE": file, "S1": "x"]).problems
        #expect(problems.contains { $0.hasSuffix("are needed. Write env:S1") }, "\(problems)")
        #expect(problems.contains { $0.hasSuffix("are needed. For the value of a variable, write env:NAME") })
        #expect(!problems.contains { $0.contains("HUNTER2") })
    }
}
