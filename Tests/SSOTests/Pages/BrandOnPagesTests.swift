import Testing

@testable import IdPTestKit
@testable import TestKit

@Suite("The operator's brand on the pages", .program)
struct BrandOnPagesTests {
    @Test("name, logo, colour, help and privacy links are on every page, in both languages")
    func everywhere() async throws {
        let folder = try TemporaryFolder()
        let (support, privacy) = ("https://acme.example/help?a=1&b=2", "https://acme.example/privacy")
        let settings = [
            "IDP_NAME": "Acme & Söhne", "IDP_LOGO_FILE": try folder.write(TestImages.svg, to: "logo.svg"),
            "IDP_ACCENT_COLOR": "#7a1f5f", "IDP_SUPPORT_URL": support,
            "IDP_PRIVACY_URL": privacy,
        ]
        try await TestDeployment.open(settings: settings) { deployment in
            let (ann, visitor) = (try await deployment.signedIn(), deployment.browser())
            let completion = deployment.authorize(deployment.client, state: "s")
            let addresses = ["/sign-in", "/signed-out", "/nowhere", deployment.mailboxPage, deployment.linkTester]
                .map { (visitor, deployment.origin + $0) }
            for (browser, address) in addresses + [(ann, deployment.origin + "/"), (ann, completion)] {
                for (language, help) in [("en", "Get help"), ("de", "Hilfe")] {
                    let visit = try await browser.get(address, [("Accept-Language", language)])
                    let page = try visit.page()
                    #expect(visit.text.contains("<html lang=\"\(language)\">"), "\(address)")
                    #expect(visit.text.contains(" · Acme &amp; Söhne</title>"), "\(address)")
                    #expect(visit.text.contains("<bdi>Acme &amp; Söhne</bdi></a></header>"), "\(address)")
                    #expect(Array(page.links.suffix(2)) == [support, privacy])
                    #expect(visit.text.contains(">\(help)</a>"), "\(address)")
                    let logo = page.tags.first { $0.name == "img" && $0["class"] == "logo" }
                    #expect(logo?["src"]?.hasPrefix("/assets/logo-") == true && logo?["alt"] == "", "\(address)")
                    let style = page.tags.last { $0["rel"] == "stylesheet" }?["href"] ?? ""
                    #expect(style.hasPrefix("/assets/accent-"), "\(address)")
                }
            }
            let accent = try await visitor.get(deployment.origin + "/sign-in").page().tags.last {
                $0["rel"] == "stylesheet"
            }
            let sheet = try await visitor.get(deployment.origin + (accent?["href"] ?? ""))
            #expect(sheet.text.contains("--accent: #7a1f5f"))
            let out = try await visitor.get(deployment.origin + "/signed-out")
            #expect(out.text.contains("You have signed out of <bdi>Acme &amp; Söhne</bdi>"))
        }
    }
}
