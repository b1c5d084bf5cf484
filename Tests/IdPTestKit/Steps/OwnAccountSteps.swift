@testable import TestKit
@testable import WebTestKit

extension TestDeployment {
    static let ownAccount = ["IDP_SELF_ERASE": "true"]

    /// Asks for another address on the page. Redirects are not followed.
    func askForAddress(_ new: String, in browser: Browser) async throws -> Visit {
        let page = try await browser.get(origin + "/address")
        return try await browser.submit(page.page().form(to: "/address/ask"), on: page, ["email": new])
    }

    /// The page that asks for the code of another address, and the code in its email.
    func askedForAddress(_ new: String, in browser: Browser) async throws -> PendingCode {
        let earlier = mailbox.all(to: new)
        let waiting = try await browser.follow(askForAddress(new, in: browser))
        return PendingCode(
            browser: browser, waiting: waiting, code: try await mailbox.code(to: new, besides: earlier))
    }

    /// Gives the account of a browser another address. Redirects are not followed.
    func changeAddress(to new: String, in browser: Browser) async throws -> Visit {
        let asked = try await askedForAddress(new, in: browser)
        return try await asked.guess(asked.code)
    }

    /// The link in the email to the address that an account had.
    func addressStopLink(to address: String) async throws -> String {
        let email = try await eventually("the link that stops a change") {
            self.mailbox.all(to: address).first { $0.text.decodingQuotedPrintable().contains("/address/stop/") }
        }
        let text = email.text.decodingQuotedPrintable()
        let found = text.firstMatch(of: #/http\S*\/address\/stop\/[A-Za-z0-9_-]{43}/#)
        return found.map { String($0.0) } ?? ""
    }

    /// Puts the old address back with the link of its email. Redirects are not followed.
    func stopAddress(_ link: String, in browser: Browser) async throws -> Visit {
        let page = try await browser.follow(browser.get(link))
        return try await browser.submit(page.page().form(to: "/address/stop"), on: page)
    }

    /// Asks for the end of an account on its page. Redirects are not followed.
    func askToErase(_ typed: String, in browser: Browser) async throws -> Visit {
        let page = try await browser.get(origin + "/erase")
        return try await browser.submit(page.page().form(to: "/erase/ask"), on: page, ["address": typed])
    }

    /// Presses the button that downloads what is stored. Redirects are not followed.
    func download(in browser: Browser) async throws -> Visit {
        let home = try await browser.get(origin + "/")
        return try await browser.submit(home.page().form(to: "/data"), on: home)
    }
}
