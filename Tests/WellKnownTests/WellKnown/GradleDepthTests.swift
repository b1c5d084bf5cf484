import Testing

@testable import TestKit
@testable import WellKnownTool

@Suite("Project files: nested brackets of Gradle", .rules)
struct GradleDepthTests {
    @Test(
        "are unknown from the twentieth on, however many there are",
        arguments: [
            ("(", ")"), ("[", "]"), ("[a: ", "]"), ("a[", "]"), ("f(", ")"), ("get(", ")"), ("a.get(", ")"),
            ("mapOf(\"a\" to ", ")"), ("[(", "):1]"), ("\"${(", ")}\""),
        ])
    func deep(opening: String, closing: String) {
        let deep = 20_000
        let value = String(repeating: opening, count: deep) + "\"x\"" + String(repeating: closing, count: deep)
        let file = GradleFile(reading: Array("android { namespace = \(value)\n }".utf8))
        #expect(file.namespace?.text == nil)
        let half = String(repeating: opening, count: deep)
        #expect(GradleFile(reading: Array("android { namespace = \(half)".utf8)).namespace?.text == nil)
    }

    @Test("are read where there are few")
    func shallow() {
        let file = GradleFile(reading: Array("android { namespace = ((([a: [b: \"x\"]])))[\"a\"].b\n }".utf8))
        #expect(file.namespace == .text("x"))
    }
}
