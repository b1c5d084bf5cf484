import Foundation
import HTTPTypes
import Testing

@testable import IdPFlow
@testable import IdPTestKit
@testable import TestKit

/// `script/bench nobody` measures what a visitor's request at each route costs. Here its list is compared with the router's.
@Suite("What a visitor's request costs", .program)
struct VisitorCostTests {
    @Test("has a bound for every method of every route, and a limit where it is more than five times the cheapest")
    func everyRoute() async throws {
        let file = TestVectors.repository.appending(path: "script/bench.d/nobody.txt")
        let rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { $0.first != "#" }
            .map { $0.split(separator: "\t").map(String.init) }
        #expect(rows.allSatisfy { $0.count == 4 }, "a line has a method, a path, a bound and a limit")
        let routes = try await ProgramPaths.declared().routes
            .filter { !$0.path.hasPrefix("/dev/") && !$0.path.hasPrefix("/assets/") }
        let declared = Set(
            routes.flatMap { route in
                let path = route.path.replacing(#/:([a-z]+)/#) { "{\($0.output.1)}" }
                return route.methods.filter { $0 != .head && $0 != .options }.map { "\($0.rawValue)\t\(path)" }
            })
        let listed = rows.map { $0.prefix(2).joined(separator: "\t") }
        #expect(declared.subtracting(listed).sorted() == [], "add these to script/bench.d/nobody.txt")
        #expect(Set(listed).subtracting(declared).sorted() == [], "no such route")
        #expect(Set(listed).count == listed.count, "a route has one line")
        for row in rows where (Double(row[2]) ?? .infinity) > 5 { #expect(row[3] != "-", "\(row)") }
    }
}
