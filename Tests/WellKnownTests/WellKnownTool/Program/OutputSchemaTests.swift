import Foundation
import SSOShared
import Testing

@testable import TestKit
@testable import WellKnownTool

/// The formats for build servers follow their schemas, also where the readers in use are lenient.
@Suite("wellknown as a program: schemas of the outputs", .deployment)
struct OutputSchemaTests {
    static let inputs = GoldenOutputTests.inputs + ["missing.json"]

    /// Source: github.com/windyroad/JUnit-Schema, JUnit.xsd: the attributes and the order of the elements.
    @Test("JUnit output follows the strict schema", arguments: inputs, ["error", "warning", "info"])
    func junit(input: String, threshold: String) async throws {
        let run = try await WellKnownRun.run(
            ["lint", "--format", "junit", "--fail-on", threshold, input], in: GoldenOutputTests.folder)
        let root = try ProjectXMLReader.read(run.output.utf8)
        #expect(root.name == "testsuites" && root.attributes.isEmpty)
        for (index, suite) in root.children.enumerated() {
            #expect(suite.name == "testsuite" && suite["id"] == "\(index)" && suite["package"]?.isEmpty == false)
            #expect(try #require(suite["timestamp"]).wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/#) != nil)
            for name in ["name", "hostname", "time"] { #expect(suite[name]?.isEmpty == false, "\(name)") }
            for (name, element) in [("failures", "failure"), ("errors", "error"), ("skipped", "skipped")] {
                let count = suite.children.count { !$0.children(named: element).isEmpty }
                #expect(suite[name] == "\(count)", "\(name)")
            }
            let names = suite.children.map(\.name)
            let cases = names.dropFirst().dropLast(2)
            #expect(names.first == "properties" && names.suffix(2) == ["system-out", "system-err"])
            #expect(suite["tests"] == "\(cases.count)" && cases.allSatisfy { $0 == "testcase" } && !cases.isEmpty)
            for test in suite.children(named: "testcase") {
                for name in ["name", "classname", "time"] { #expect(test[name]?.isEmpty == false, "\(name)") }
                #expect(test.children.count <= 1)
                for child in test.children where child.name != "skipped" {
                    #expect(["failure", "error"].contains(child.name) && child["type"]?.isEmpty == false)
                }
            }
        }
    }

    /// Source: OASIS, SARIF 2.1.0, sections 3.49 (reportingDescriptor) and 3.27 (result).
    @Test("Each SARIF rule has an absolute helpUri and its page, and each result its rule", arguments: inputs)
    func sarif(input: String) async throws {
        let run = try await WellKnownRun.run(["lint", "--format", "sarif", input], in: GoldenOutputTests.folder)
        let log = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
        #expect(log["version"] as? String == "2.1.0")
        let first = try #require((log["runs"] as? [[String: Any]])?.first)
        let driver = try #require((first["tool"] as? [String: Any])?["driver"] as? [String: Any])
        let rules = try #require(driver["rules"] as? [[String: Any]])
        for rule in rules {
            let id = try #require(rule["id"] as? String)
            #expect(URL(string: try #require(rule["helpUri"] as? String))?.scheme != nil)
            let help = try #require(rule["help"] as? [String: String])
            #expect(help["text"]?.isEmpty == false && help["markdown"]?.hasPrefix("# \(id)\n") == true)
        }
        for result in try #require(first["results"] as? [[String: Any]]) {
            let index = try #require(result["ruleIndex"] as? Int)
            #expect(rules[index]["id"] as? String == result["ruleId"] as? String)
        }
    }
}
