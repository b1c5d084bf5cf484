@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit

extension SuccessfulPost {
    static let passkeys: [SuccessfulPost] = [
        .form("/sign-in/passkey") { place, address in
            let browser = place.deployment.browser()
            return try await place.deployment.begin(.passkey, in: browser, as: address).prove(in: browser)
        },
        .program("/sign-in/passkey/options", 200) { place, _ in
            let browser = place.deployment.browser()
            return try await browser.renewPasskeyOptions(on: place.deployment.signInPage(browser)).reply
        },
        .form("/sign-in/operator") { place, address in
            let browser = place.deployment.browser()
            let page = try await browser.follow(browser.get(place.deployment.printLink(for: address)))
            return try await browser.submit(page.page().form(to: "/sign-in/operator"), on: page)
        },
        .form("/passkeys/add") { place, address in
            let browser = try await place.deployment.signedIn(as: address)
            return try await browser.addPasskey(SoftwareAuthenticator(), on: place.deployment.passkeyPage(browser))
        },
        .form("/passkeys/offer") { place, address in
            let browser = try await place.deployment.signedIn(as: address)
            let page = try await browser.get(place.deployment.origin + "/passkeys/offer")
            return try await browser.submit(page.page().form(to: "/passkeys/offer"), on: page)
        },
        .form("/passkeys/rename") { place, address in
            let (browser, list) = try await place.deployment.passkeyList(as: address)
            return try await browser.submit(
                list.page().form(to: "/passkeys/rename"), on: list, ["name": "My phone"])
        },
        .form("/passkeys/remove") { place, address in
            let (browser, list) = try await place.deployment.passkeyList(as: address)
            return try await browser.submit(list.page().form(to: "/passkeys/remove"), on: list)
        },
    ]
}
