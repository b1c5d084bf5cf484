import SSOShared

@testable import Counterparts
@testable import TestKit
@testable import WebTestKit

extension PageStates {
    // MARK: Passkeys

    static let passkeys: [PageState] = [
        PageState("passkeys", mark: "form[action='/passkeys/rename'] input[name=name]") { studio in
            _ = try await studio.deployment.givePasskey(to: studio.address)
            return try await studio.deployment.passkeyList(as: studio.address, in: studio.browser()).list
        },
        PageState("passkeys-none", mark: "a[href='/passkeys/add']") { studio in
            try await studio.signedIn().get(studio.origin + "/passkeys")
        },
        PageState("passkeys-removed", mark: "[role=status]") { studio in
            _ = try await studio.deployment.givePasskey(to: studio.address)
            let (browser, list) = try await studio.deployment.passkeyList(as: studio.address, in: studio.browser())
            return try await browser.follow(
                browser.submit(list.page().form(to: "/passkeys/remove"), on: list))
        },
        PageState("passkey-add", mark: "form[action='/passkeys/add'] [data-passkey-options]") { studio in
            try await studio.signedIn().get(studio.origin + "/passkeys/add")
        },
        PageState("passkey-add-refused", 422, mark: "form[action='/passkeys/add'] [data-passkey-options]") { studio in
            let browser = try await studio.signedIn()
            let page = try await browser.get(studio.origin + "/passkeys/add")
            return try await browser.sendPasskey("{}", on: page)
        },
        PageState("passkey-offer", mark: "form[action='/passkeys/offer'] button") { studio in
            try await studio.signedIn().get(studio.origin + "/passkeys/offer")
        },
        PageState("passkey-name-refused", 422) { studio in
            let (browser, list) = try await studio.deployment.passkeyList(as: studio.address, in: studio.browser())
            return try await browser.submit(
                list.page().form(to: "/passkeys/rename"), on: list, ["name": " "])
        },
        PageState("sign-in-passkey-refused", 422, mark: "#passkey-error") { studio in
            let browser = studio.browser()
            let page = try await browser.get(studio.origin + "/sign-in")
            return try await browser.sendPasskey("{}", on: page)
        },
        PageState("sign-in-passkey-needed", mark: "main .notice") { studio in
            let browser = studio.browser()
            return try await browser.follow(
                browser.get(studio.deployment.authorize(studio.client, state: "phr") + "&acr_values=phr"))
        },
        PageState("sign-in-passkey-missing", mark: "a[href='/passkeys/add']") { studio in
            let browser = try await studio.signedIn()
            return try await browser.follow(
                browser.get(studio.deployment.authorize(studio.client, state: "phr") + "&acr_values=phr"))
        },
        PageState("sign-in-passkey-only", mark: "form[action='/sign-in/passkey'] [data-passkey-options]") { studio in
            _ = try await studio.deployment.givePasskey(to: studio.address)
            let browser = try await studio.signedIn()
            return try await browser.follow(
                browser.get(studio.deployment.authorize(studio.client, state: "phr") + "&acr_values=phr"))
        },
    ]
    // MARK: Without mail

    static let withoutMail: [PageState] = [
        PageState("sign-in-without-mail", mark: "main:not(:has(input[name=email])) [data-no-passkey]") { studio in
            try await studio.open("/sign-in")
        },
        PageState("sign-in-without-mail-app", mark: "main .notice:not([data-no-passkey])") { studio in
            let shell = studio.browser().twin(userAgent: Browser.shellUserAgent)
            return try await shell.get(studio.origin + "/sign-in")
        },
        PageState("invitation-without-mail", 410, mark: "main a.button[href='/sign-in']") { studio in
            let browser = studio.browser()
            return try await browser.follow(browser.get(studio.origin + "/invitation/a-b_C.1"))
        },
    ]

    /// The web view of an app hands a passkey over to the system browser.
    static let passkeyInApp = PageState(
        "sign-in-passkey-in-app", mark: "main:has(.notice) a[href^='/auth/native/passkey']"
    ) { studio in
        let shell = studio.browser().twin(userAgent: Browser.shellUserAgent)
        return try await shell.get(studio.origin + "/sign-in")
    }
}
