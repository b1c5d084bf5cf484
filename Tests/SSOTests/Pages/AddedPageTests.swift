import Testing

@testable import IdP
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit

/// `GreetingFeature` is what CONTRIBUTING.md describes: nothing of the product knows it.
@Suite("A page and a setting that are added as CONTRIBUTING.md says", .program)
struct AddedPageTests {
    @Test("the page speaks both languages, has a HEAD, and its form counts only with its token")
    func page() async throws {
        try await TestDeployment.open(adding: GreetingFeature.added) { deployment in
            let (browser, path) = (deployment.browser(), deployment.origin + GreetingFeature.path)
            let english = try await browser.get(path)
            #expect(english.status == 200 && english.text.contains("Greeted <bdi>0</bdi> times."))
            #expect(try await browser.get(path, [("Accept-Language", "de")]).text.contains("Grüßen"))
            let probe = HTTPProbe(port: deployment.port, authority: "localhost:4000")
            #expect(try await probe.send("HEAD", GreetingFeature.path).status == 200)
            #expect(try await probe.send("PUT", GreetingFeature.path).status == 405)

            let form = try english.page().form(to: GreetingFeature.path)
            let forged = try await Browser.$pathWithoutToken.withValue(GreetingFeature.path) {
                try await browser.submit(form, on: english)
            }
            #expect(forged.status == 403 && forged.text.contains("Greet"))
            #expect(try await browser.submit(form, on: english).status == 303)
            #expect(try await browser.get(path).text.contains("Greeted <bdi>1</bdi> times."))
        }
    }

    @Test("the setting has its default, and a wrong value is named with the rule")
    func setting() {
        func read(_ values: [String: String]) -> (value: String?, problems: [String]) {
            let reader = SettingsReader(SettingsSource(values))
            return (reader.value(GreetingFeature.setting), reader.problems)
        }
        #expect(read([:]).value == "Hello")
        #expect(read(["TEST_GREETING": "Welcome"]).value == "Welcome")
        let wrong = read(["TEST_GREETING": String(repeating: "o", count: 21)])
        #expect(wrong.value == nil && wrong.problems.count == 1)
        #expect(wrong.problems.first?.hasPrefix("TEST_GREETING: ") == true)
        #expect(wrong.problems.first?.contains("longer than 20 characters") == true)
    }
}
