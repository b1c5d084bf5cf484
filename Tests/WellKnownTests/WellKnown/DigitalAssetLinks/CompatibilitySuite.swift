import Foundation
import SSOShared
import Testing

@testable import TestKit
@testable import WellKnown

/// The groups of Google's compatibility suite for Digital Asset Links, one case for each request.
enum CompatibilitySuite {
    struct Case: Sendable, CustomTestStringConvertible {
        let group: String
        let name: String
        let kind: AssetQuery.Kind
        let content: JSONNode
        let test: JSONNode
        var testDescription: String { "\(group) / \(name)" }

        var outcome: String { test["outcome"]?.string ?? "" }
        /// Group 1101 expects SUCCESS for an empty list and a request for all relations. Group 2002 expects FETCH_ERROR
        /// for the same list and request. No client can pass both.
        var contradictsAnotherGroup: Bool {
            group.hasPrefix("comptest1101:") && name == "Missing relation query"
        }
    }

    static let cases: [Case] = {
        guard let body = FileManager.default.contents(atPath: path) else { return [] }
        let groups = JSONReader.read(body).root?.array ?? []
        return groups.flatMap { group in
            [("list_statements_tests", AssetQuery.Kind.list), ("check_statements_tests", .check)].flatMap { key, kind in
                (group[key]?.array ?? []).map { test in
                    Case(
                        group: group["name"]?.string ?? "", name: test["name"]?.string ?? "", kind: kind,
                        content: group, test: test)
                }
            }
        }
    }()

    private static let path: String =
        TestVectors.folder.appending(path: "wellknown/dal-compat.json").path
}
