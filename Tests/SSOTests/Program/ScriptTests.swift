import Testing

@testable import IdPServer
@testable import SSOWeb
@testable import TestKit

@Suite("The scripts of pages", .program)
struct ScriptTests {
    @Test("every script of a template has an address")
    func scripts() throws {
        let assets = IdPPages.assets(Brand(name: "B"))
        let shared = IdPPages.scripts(of: assets)
        #expect(!shared.isEmpty && shared.values.allSatisfy { $0.hasPrefix("/assets/") }, "\(shared)")
        // The layout has the first, and the models of two pages and of the admin pages have the others.
        let known = Set(shared.keys).union(["times", "script", "copyScript"])
        var count = 0
        for (name, bytes) in IdPPages.files.flatMap({ Array($0.templates) + Array($0.partials) }) {
            for tag in String(decoding: bytes, as: UTF8.self).matches(of: #/<script src="\{\{([a-zA-Z]+)\}\}"/#) {
                #expect(known.contains(String(tag.1)), "\(name): \(tag.1)")
                #expect(tag.1 != "script" || ["native-start", "mailbox"].contains(name), "\(name)")
                count += 1
            }
        }
        #expect(count > 30)
    }
}
