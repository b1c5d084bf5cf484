import ProbeKit
import SSOShared
import SSOWeb
import Storage

@testable import Counterparts
@testable import TestKit
@testable import WebTestKit

extension PageStates {
    // MARK: Ways to sign in

    /// - Parameter folder: for the providers file. Nothing is fetched from these providers.
    static func providers(in folder: TemporaryFolder) throws -> [String: String] {
        let file = """
            providers:
              - {id: work, name: Work account, kind: oidc, issuer: "https://login.example.org", client_id: sso}
              - {id: school, name: "שירות הדוגמה", kind: oidc, issuer: "https://school.example.org", client_id: sso}

            """
        return ["IDP_PROVIDERS_FILE": try folder.write(file, to: "providers-of-accounts.yaml")]
    }

    static let identities: [PageState] = [
        PageState("home-add-provider", mark: "form[action='/identities/link'] button") { studio in
            try await studio.signedIn().get(studio.origin + "/")
        },
        PageState("home-identities", mark: "form[action='/identities/unlink'] button") { studio in
            let browser = try await studio.signedIn()
            try await studio.addIdentities()
            return try await browser.get(studio.origin + "/")
        },
        PageState("home-identity-added", mark: "[role=status]") { studio in
            let browser = try await studio.signedIn()
            try await studio.addIdentities()
            return try await browser.get(studio.origin + "/?added=work")
        },
        PageState("home-identity-removed", mark: "[role=status]") { studio in
            try await studio.signedIn().get(studio.origin + "/?removed=work")
        },
        PageState("sign-in-account-change", mark: "form[action='/sign-in'] input[name=email], a[href='/']") {
            try await $0.waitingChange().page
        },
        PageState("identity-confirm-remove", mark: "form[action='/identities/confirm'] button") { studio in
            let waiting = try await studio.waitingChange()
            return try await studio.deployment.signInAgain(waiting.browser, on: waiting.page, as: studio.address)
        },
        PageState("identity-confirm-add", mark: "form[action='/identities/confirm'] button") { studio in
            let waiting = try await studio.waitingChange(adding: "school")
            return try await studio.deployment.signInAgain(waiting.browser, on: waiting.page, as: studio.address)
        },
        PageState("error-other-account", 409, mark: "main a[href='/']") { studio in
            let waiting = try await studio.waitingChange()
            return try await studio.deployment.signInAgain(
                waiting.browser, on: waiting.page, as: "other-\(studio.address)")
        },
        PageState("error-change-ended", 410, mark: "main a[href='/']") { studio in
            try await studio.signedIn().get(studio.origin + "/identities/confirm?flow=AAAAAAAAAAAAAAAAAAAAAA")
        },
        PageState("error-last-identity", 409, mark: "main a[href='/']") { studio in
            let browser = try await studio.signedIn()
            try await studio.addIdentities()
            let home = try await browser.get(studio.origin + "/")
            try await studio.removeIdentities(but: "https://login.example.org")
            return try await browser.pressRemove(on: home)
        },
    ]
}

extension PageStudio {
    /// Gives the account a provider of the file, and one that is not in it any more with a private address.
    fileprivate func addIdentities() async throws {
        let account = try await deployment.stored.accounts.of(address).ids()[0]
        let now = Timestamp(milliseconds: deployment.clock.now.milliseconds)
        try await deployment.stored.identities.add(
            AddedIdentity(
                account, at: "https://login.example.org", account, provider: "work",
                address: "ann.example@work.example",
                createdAt: now + .milliseconds(1), usedAt: now),
            AddedIdentity(
                account, at: "https://appleid.apple.com", account, provider: "apple",
                address: "x7k2p9qd4f@privaterelay.appleid.example", isPrivate: true,
                createdAt: now + .milliseconds(2), usedAt: now))
    }

    fileprivate func removeIdentities(but issuer: String) async throws {
        let account = try await deployment.stored.accounts.of(address).ids()[0]
        try await deployment.stored.identities.notFrom(issuer).ofAccount(account).delete()
    }

    /// The sign-in page of a change that waits.
    fileprivate func waitingChange(adding provider: String? = nil) async throws -> (browser: Browser, page: Visit) {
        let browser = try await signedIn()
        try await addIdentities()
        deployment.clock.advance(by: .minutes(11))
        let home = try await browser.get(origin + "/")
        let pressed =
            if let provider { try await browser.pressAdd(provider, on: home) } else {
                try await browser.pressRemove(on: home)
            }
        return (browser, try await browser.follow(pressed))
    }
}
