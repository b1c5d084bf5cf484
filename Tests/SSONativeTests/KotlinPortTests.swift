import Foundation
import Testing

@testable import SSONative
@testable import TestKit

/// examples/android has the rules of this library in Kotlin, which is not compiled here. What can be compared as text is.
@Suite("The rules in Kotlin", .rules)
struct KotlinPortTests {
    private static func text(_ path: String) throws -> String {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let sources = tests.deletingLastPathComponent().appending(path: "examples/android/app/src/main")
        return try String(contentsOf: sources.appending(path: path), encoding: .utf8)
    }

    @Test("Every problem has the same text for the user", arguments: NativeSignInError.allCases)
    func problems(problem: NativeSignInError) throws {
        let strings = try Self.text("res/values/strings.xml")
        let name = "problem_\(problem.rawValue)"
        #expect(strings.contains("<string name=\"\(name)\">\(problem.description)</string>"))
        #expect(try Self.text("java/com/example/app/SignIn.kt").contains("R.string.\(name)"))
    }

    @Test("Paths, forms and times of this library stand in the Kotlin code")
    func constants() throws {
        let policy = try Self.text("java/com/example/app/LinkPolicy.kt")
        for path in [ServerPath.authorize, ServerPath.complete, ServerPath.reset, ServerPath.signInLink] {
            #expect(policy.contains("\"\(path)\""), "\(path)")
        }
        #expect(policy.contains("hotwire_native") && policy.contains("[a-z0-9][a-z0-9_-]{0,62}"))
        let handoff = try Self.text("java/com/example/app/Handoff.kt")
        for text in [ServerPath.native, ServerPath.handoff, "shc_[A-Za-z0-9_-]{43}", "[a-z_]{1,64}", "\"SHA-256\""] {
            #expect(handoff.contains(text), "\(text)")
        }
        // An error in a link from outside ends no handoff.
        let errors = try Self.text("java/com/example/app/SignIn.kt").split(separator: "\n").filter {
            $0.contains("Callback.Error")
        }
        #expect(errors.count == 2 && errors.allSatisfy { !$0.contains("setHandoff") })
        #expect(handoff.contains("-60_000L until \(Int(BrowserRequest.lifetime) / 60) * 60_000L"))
    }
}
