import Testing

@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit

/// RFC 9110 12.5.4: `Accept-Language`.
@Suite("The language of a page", .program)
struct LanguageTests {
    static let vectors: [(accepted: String?, language: Language)] = [
        (nil, .english), ("", .english), ("en", .english), ("de", .german), ("DE", .german), ("de-AT", .german),
        ("de-Latn-CH-1996", .german), ("fr", .english), ("fr, de", .german), ("fr-CH, de;q=0.3, *;q=0.1", .german),
        ("en, de", .english), ("de, en", .german), ("de;q=0.5, en;q=0.5", .german), ("en;q=0.5, de;q=0.5", .english),
        ("de;q=0.8, en;q=0.9", .english), ("en;q=0.8, de;q=0.9", .german), ("en;q=0.8, de", .german),
        ("de;q=0.001, fr", .german), ("de-AT;q=0.9, en;q=0.8, de;q=0.7", .german), ("*", .english),
        ("de;q=0.5, *", .english), ("de, *;q=0.5", .german), ("de;Q=0.9,\ten;q=0.8", .german),
        // A weight of 0 means "not this one".
        ("de;q=0", .english), ("de;q=0.000, en;q=0.1", .english), ("en;q=0, de;q=0.1", .german),
        // Ranges that cannot be read are left out, and the others count.
        ("de;q=", .english), ("de;q=high", .english), ("de;q=2", .english), ("de;q=-1", .english),
        ("de;q=nan", .english), ("de;q=inf", .english), ("en;q=x, de;q=0.1", .german), (";q=1", .english),
        (",,, ,;,", .english), (",,de", .german), ("-de", .english), ("deutsch", .english), ("d\u{301}e", .english),
        ("de\u{0}", .english), ("\"de\"", .english),
    ]

    @Test(
        "the range with the highest weight counts, of equal ones the first, and English without any", arguments: vectors
    )
    func preferred(accepted: String?, language: Language) {
        #expect(Languages.builtIn.preferred(accepted) == language)
    }

    @Test("of ten thousand ranges only the first twenty within 512 bytes are read")
    func manyRanges() {
        let thousands = Array(repeating: "fr", count: 10_000)
        #expect(Languages.builtIn.preferred((thousands + ["de"]).joined(separator: ",")) == .english)
        #expect(Languages.builtIn.preferred((["de"] + thousands).joined(separator: ",")) == .german)
        #expect(
            Languages.builtIn.preferred((Array(repeating: "fr", count: 19) + ["de"]).joined(separator: ",")) == .german)
        #expect(
            Languages.builtIn.preferred((Array(repeating: "fr", count: 20) + ["de"]).joined(separator: ",")) == .english
        )
        #expect(Languages.builtIn.preferred(String(repeating: "f", count: 600) + ",de") == .english)
    }

    @Test("every page says its language to browsers, caches and screen readers, also error pages of both programs")
    func headers() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let addresses = ["/signed-out", "/sign-in", "/nowhere", "/auth/sso/authorize"].map {
                deployment.origin + $0
            }
            let client = ["/", "/nowhere", "/auth/sso/callback"].map { deployment.client.origin + $0 }
            for address in addresses + client {
                for (accepted, language) in [("de-AT, en;q=0.5", "de"), ("fr, en;q=0.5", "en"), ("", "en")] {
                    let headers = accepted.isEmpty ? [] : [("Accept-Language", accepted)]
                    let visit = try await browser.get(address, headers)
                    #expect(visit.reply.all("content-language") == [language], "\(address)")
                    #expect(visit.reply.all("vary").contains { $0.contains("Accept-Language") }, "\(address)")
                    let html = try visit.page().tags.first { $0.name == "html" }
                    #expect(html?["lang"] == language, "\(address)")
                }
            }
            let german = try await browser.get(deployment.origin + "/nowhere", [("Accept-Language", "de")])
            #expect(german.text.contains("<h1>Seite nicht gefunden</h1>"))
        }
    }
}
