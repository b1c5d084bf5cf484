import ProbeKit

@testable import TestKit
@testable import WebTestKit

extension PageStates {
    static let ownAccount: [PageState] = [
        PageState("address", mark: "form[action='/address/ask'] input[type=text]") { studio in
            try await studio.signedIn().get(studio.origin + "/address")
        },
        PageState("address-fixed", mark: ".notice") { studio in
            let browser = try await studio.signedIn()
            try await studio.deployment.stored.accounts.of(studio.address).setImported()
            return try await browser.get(studio.origin + "/address")
        },
        PageState("address-refused", 422) { studio in
            try await studio.deployment.askForAddress(studio.address, in: studio.signedIn())
        },
        PageState("address-code", mark: "form[action='/address/code'] .code") { studio in
            try await studio.askedForAddress().waiting
        },
        PageState("address-code-wrong", 422, mark: "#code-error") { studio in
            let asked = try await studio.askedForAddress()
            return try await asked.guess(asked.wrong)
        },
        PageState("address-changed", mark: "main a[href='/sign-in']") { studio in
            let asked = try await studio.askedForAddress()
            return try await asked.browser.follow(asked.guess(asked.code))
        },
        PageState("address-stop", mark: "form[action='/address/stop'] button") { studio in
            let browser = studio.browser()
            return try await browser.follow(browser.get(studio.stopLink()))
        },
        PageState("address-stopped", mark: "main a[href='/sign-in']") { studio in
            let browser = studio.browser()
            return try await browser.follow(studio.deployment.stopAddress(studio.stopLink(), in: browser))
        },
        PageState("address-stop-ended", 410) { studio in
            try await studio.open("/address/stop")
        },
        PageState("picture", mark: "form[action='/picture'] input[type=file]") { studio in
            try await studio.signedIn().get(studio.origin + "/picture")
        },
        PageState("picture-saved", mark: "img.picture") { studio in
            let browser = try await studio.signedIn()
            return try await browser.follow(browser.givePicture(at: studio.origin))
        },
        PageState("picture-refused", 422, mark: "#picture-error") { studio in
            try await studio.signedIn().givePicture([1], at: studio.origin)
        },
        PageState("erase", mark: "form[action='/erase/ask'] .danger") { studio in
            try await studio.signedIn().get(studio.origin + "/erase")
        },
        PageState("erase-refused", 422) { studio in
            try await studio.deployment.askToErase("x", in: studio.signedIn())
        },
        PageState("erase-done", mark: "main .lead") { studio in
            let browser = try await studio.signedIn()
            return try await browser.follow(studio.deployment.askToErase(studio.address, in: browser))
        },
    ]
}

extension PageStudio {
    fileprivate func askedForAddress() async throws -> PendingCode {
        try await deployment.askedForAddress("new-\(address)", in: signedIn())
    }

    func stopLink() async throws -> String {
        let asked = try await askedForAddress()
        _ = try await asked.guess(asked.code)
        return try await deployment.addressStopLink(to: address)
    }
}
