import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The HTML of the pages", .program)
struct MarkupTests {
    /// Every kind of page, as a user sees it.
    private static func pages(_ deployment: TestDeployment) async throws -> [Visit] {
        let browser = deployment.browser()
        let form = try await browser.beginSignIn(at: deployment.client)
        let wrongAddress = try await browser.submit(form.page().form(with: "email"), on: form, ["email": "no address"])
        let waiting = try await browser.ask(for: "ann@example.com", on: form)
        let wrongCode = try await browser.submit(waiting.page().form(with: "code"), on: waiting, ["code": "12"])
        let complete = try await browser.enter(deployment.mailbox.code(to: "ann@example.com"), on: waiting)
        let wrongName = try await browser.rename(at: deployment, to: "")
        var pages = [
            form, wrongAddress, waiting, wrongCode, complete, wrongName, try await browser.get(deployment.origin + "/"),
        ]
        for path in ["/nowhere", "/auth/sso/authorize", "/auth/sso/complete?flow=x", deployment.mailboxPage] {
            pages.append(try await deployment.browser().get(deployment.origin + path))
        }
        pages.append(try await deployment.browser().get(deployment.origin + "/signed-out"))
        return pages
    }

    @Test("no page has an inline script, style or handler, and every script and style comes from this origin")
    func nothingInline() async throws {
        try await TestDeployment.open { deployment in
            for visit in try await Self.pages(deployment) {
                let tags = try visit.page().tags
                #expect(!tags.contains { $0.name == "style" || $0.name == "base" })
                // The emails of a trial alone are shown in frames, of this origin and in a sandbox.
                for frame in tags where frame.name == "iframe" {
                    #expect(visit.address.path == deployment.mailboxPage)
                    #expect(frame["src"]?.hasPrefix("\(deployment.mailboxPage)/") == true)
                    #expect(frame["sandbox"] == "allow-popups allow-popups-to-escape-sandbox")
                }
                #expect(
                    !tags.contains { tag in tag.attributes.contains { $0.name.hasPrefix("on") || $0.name == "style" } })
                for tag in tags where tag.name == "script" { #expect(tag["src"]?.hasPrefix("/assets/") == true) }
                for tag in tags where tag.name == "link" { #expect(tag["href"]?.hasPrefix("/assets/") == true) }
                #expect(!tags.contains { ($0["href"] ?? "").lowercased().hasPrefix("javascript:") })
            }
        }
    }

    @Test("every page has a language, a title and one heading; every field has a label, every form a token and POST")
    func accessible() async throws {
        try await TestDeployment.open { deployment in
            for visit in try await Self.pages(deployment) {
                let page = try visit.page()
                #expect(page.tags.contains { $0.name == "html" && $0["lang"] == "en" })
                #expect(visit.text.contains("<title>") && !visit.text.contains("<title></title>"))
                #expect(page.tags.count { $0.name == "h1" } == 1, "\(visit.address.absolute)")
                for input in page.tags where input.name == "input" && input["type"] != "hidden" {
                    #expect(page.tags.contains { $0.name == "label" && $0["for"] == input["id"] })
                }
                for form in page.forms {
                    #expect(form.method == "post")
                    #expect(form["form_token"]?.isEmpty == false)
                    #expect(form.action.hasPrefix("/"))
                }
            }
        }
    }

    @Test(
        "an error page has one link and a reference that is in the log",
        .oneDeployment, arguments: ["/nowhere", "/auth/sso/authorize"])
    func errors(path: String) async throws {
        let deployment = try TestDeployment.shared()
        let page = try await deployment.browser().get(deployment.origin + path)
        #expect(try page.page().links.count == 2, "the brand and the link")
        let reference = try #require(page.text.firstMatch(of: #/<code translate="no">([2-9A-Z]{8})</code>/#)).1
        #expect(deployment.log.contains(String(reference)))
    }
}
