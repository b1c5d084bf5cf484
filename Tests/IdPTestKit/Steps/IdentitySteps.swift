import ProbeKit
import SSOShared
import SSOWeb

@testable import Counterparts
@testable import IdPProviders
@testable import TestKit
@testable import WebTestKit

/// The steps of a user who changes how to sign in, found by forms and not by wording.
extension Browser {
    func home(of deployment: TestDeployment) async throws -> Visit { try await get(deployment.origin + "/") }

    /// Presses the button that adds a provider. Redirects are not followed.
    func pressAdd(_ provider: String, on home: Visit) async throws -> Visit {
        let form = try home.page().forms.first { $0.action == "/identities/link" && $0["provider"] == provider }
        return try await submit(form, on: home)
    }

    /// Presses the first button that removes an identity. Redirects are not followed.
    func pressRemove(on home: Visit) async throws -> Visit {
        try await submit(home.removeForms().first, on: home)
    }

    /// Presses the button of the page that asks whether to carry out a change. Redirects are not followed.
    func confirm(on page: Visit) async throws -> Visit {
        try await submit(page.page().form(to: "/identities/confirm"), on: page)
    }
}

extension Visit {
    /// The forms of the home page that remove an identity.
    func removeForms() throws -> [ScannedForm] { try page().forms.filter { $0.action == "/identities/unlink" } }

    /// The providers that the home page offers to add.
    func offeredProviders() throws -> [String] {
        try page().forms.filter { $0.action == "/identities/link" }.compactMap { $0["provider"] }
    }
}

extension ProviderDeployment {
    var origin: String { deployment.origin }

    /// Adds a provider from the home page on.
    ///
    /// - Returns: the home page that follows.
    func add(_ kind: Provider.Kind, in browser: Browser) async throws -> Visit {
        let pressed = try await browser.pressAdd(kind.testID, on: browser.home(of: deployment))
        return try await goOn(kind, from: pressed, in: browser)
    }

    /// Goes to a provider, agrees there, and comes back.
    ///
    /// - Parameter pressed: the answer to the button.
    func goOn(_ kind: Provider.Kind, from pressed: Visit, in browser: Browser) async throws -> Visit {
        let standIn = try standIn(kind)
        let page = try await browser.follow(pressed)
        let answer = try standIn.answer(to: standIn.authorizationURL(on: page))
        return try await browser.follow(browser.bring(answer))
    }

    /// A browser that is signed in by email, with these providers added and reported.
    func owner(adding kinds: Provider.Kind..., as address: String = "ann@example.com") async throws -> Browser {
        let browser = try await deployment.signedIn(as: address)
        for kind in kinds {
            _ = try await add(kind, in: browser)
        }
        // So that no later step takes a notice for a code.
        _ = try await notices(kinds.count, to: address)
        return browser
    }

    /// How many identities at providers there are.
    func externalIdentities() async throws -> Int {
        try await deployment.stored.identities.external.count()
    }

    /// Waits until so many notices have been sent to an address.
    func notices(_ count: Int, to address: String = "ann@example.com") async throws -> [Mailbox.Email] {
        try await eventually("\(count) notices to \(address)") {
            let notices = deployment.mailbox.all(to: address).filter { $0.code == nil }
            return notices.count >= count ? notices : nil
        }
    }

    /// Signs in again with a code by email on a sign-in page, and follows redirects.
    func signInAgain(_ browser: Browser, on page: Visit, as address: String = "ann@example.com") async throws -> Visit {
        try await deployment.signInAgain(browser, on: page, as: address)
    }
}

extension TestDeployment {
    /// Signs in with a code by email on a sign-in page, and follows redirects.
    func signInAgain(_ browser: Browser, on page: Visit, as address: String) async throws -> Visit {
        let earlier = mailbox.all(to: address)
        let waiting = try await browser.ask(for: address, on: page)
        return try await browser.enter(mailbox.code(to: address, besides: earlier), on: waiting)
    }
}
