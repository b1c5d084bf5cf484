import Testing

@testable import IdPServer
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

    @Test("the page has the word of the setting, and without it the default")
    func word() async throws {
        for (settings, word) in [([:], "Hello"), (["TEST_GREETING": "Welcome"], "Welcome")] {
            try await TestDeployment.open(settings: settings, adding: GreetingFeature.added) { deployment in
                let page = try await deployment.browser().get(deployment.origin + GreetingFeature.path)
                #expect(page.text.contains("<h1>\(word)</h1>"))
            }
        }
    }

    @Test("a wrong value is named with the rule, beside the problems of all other settings, and shown by check")
    func setting() {
        func read(_ values: [String: String]) -> SettingsReader {
            let reader = SettingsReader(SettingsSource(SettingsFixture.idp.merging(values) { $1 }))
            #expect((IdPSettings.read(reader, adding: GreetingFeature.settings) == nil) == !reader.problems.isEmpty)
            return reader
        }
        #expect(read([:]).lines.contains { $0.name == "TEST_GREETING" && $0.shown == "Hello" })
        let wrong = read(["TEST_GREETING": String(repeating: "o", count: 21), "IDP_AUDIT_DAYS": "6"]).problems
        #expect(wrong.count == 2)
        #expect(wrong.first?.hasPrefix("IDP_AUDIT_DAYS: ") == true)
        #expect(wrong.last?.hasPrefix("TEST_GREETING: ") == true)
        #expect(wrong.last?.contains("longer than 20 characters") == true)
    }
}
