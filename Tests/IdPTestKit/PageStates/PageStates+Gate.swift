import SSOShared
import SSOWeb
import Storage

@testable import Counterparts
@testable import IdPClients
@testable import IdPOperations
@testable import TestKit
@testable import WebTestKit

extension PageStates {
    static let gateSettings = ["IDP_TRUSTED_PROXIES": "127.0.0.1"]

    // MARK: Keys for apps

    static let appKeys: [PageState] = [
        PageState("app-keys", mark: "form[action='/app-keys/remove'] button") { studio in
            let (browser, key) = try await studio.appKey()
            _ = try await studio.check([("Authorization", "Bearer \(key)")])
            return try await browser.get(studio.origin + "/app-keys")
        },
        PageState("app-keys-none", mark: "form[action='/app-keys/add'] select") { studio in
            try await studio.deployment.addAppKeyService()
            return try await studio.signedIn().get(studio.origin + "/app-keys")
        },
        PageState("app-keys-removed", mark: "[role=status]") { studio in
            let browser = try await studio.appKey().browser
            let list = try await browser.get(studio.origin + "/app-keys")
            return try await browser.follow(browser.submit(list.page().form(to: "/app-keys/remove"), on: list))
        },
        PageState("app-key-made", mark: "main svg") { studio in
            try await studio.deployment.makeAppKey(as: studio.address, in: studio.browser()).made
        },
        PageState("app-key-form-refused", 422) { studio in
            try await studio.add(in: studio.appKey().browser, ["name": " "])
        },
        PageState("app-key-limit", 409) { studio in
            let browser = try await studio.appKey().browser
            for number in 2...20 { _ = try await studio.add(in: browser, ["name": "\(number)"]) }
            return try await studio.add(in: browser, ["name": "21"])
        },
        PageState("app-key-too-weak", 403) { studio in
            let browser = try await studio.appKey().browser
            return try await studio.changing(["require": .text("phr")], backTo: ["require": nil]) {
                try await studio.add(in: browser, ["name": "Tablet"])
            }
        },
        PageState("app-key-confirm", mark: "form[action='/identities/confirm'] button") { studio in
            let browser = try await studio.appKey().browser
            studio.deployment.clock.advance(by: .minutes(11))
            let page = try await browser.follow(studio.add(in: browser, ["name": "Tablet"]))
            try await studio.deployment.forgetEmails(to: studio.address)
            return try await studio.deployment.signInAgain(browser, on: page, as: studio.address)
        },
        PageState("sessions-app-keys", mark: "input[name=keys]") { studio in
            let browser = try await studio.appKey().browser
            _ = try await studio.deployment.furtherBrowser(of: studio.address)
            return try await browser.get(studio.origin + "/sessions")
        },
    ]

    static let appKeysNoService = PageState("app-keys-no-service", mark: "main:not(:has(select)) h1") { studio in
        try await studio.signedIn().get(studio.origin + "/app-keys")
    }

    // MARK: On the host of a service

    static let gate: [PageState] = [
        PageState("gate-ended", 401, mark: "a[target=_blank]") { studio in
            try await studio.check([("Accept", "text/html"), ("X-Forwarded-Method", "POST")])
        },
        PageState("gate-no-access", 403, mark: "main a[href*='/.sso/start']") { studio in
            let key = try await studio.appKey().key
            return try await studio.changing(["groups": .list(["nobody"]), "access": nil], backTo: everyone) {
                try await studio.check([("Authorization", "Bearer \(key)")])
            }
        },
        PageState("gate-signed-out", mark: "main a[href^='http']") { studio in
            try await studio.ask("POST", "sign-out", [("Sec-Fetch-Site", "same-origin")])
        },
        PageState("gate-failed", 400, mark: "main a[href*='/.sso/start?to=']") { studio in
            try await studio.ask("GET", "callback?grant=sgc_x&to=/page", [])
        },
    ]

    private static let everyone: [String: ClientEntry.Value?] = ["groups": nil, "access": .text("everyone")]
}

extension PageStudio {
    private static let service = "app-wiki"

    /// A key of this user, and the browser that has made it.
    fileprivate func appKey() async throws -> (browser: Browser, key: String) {
        let (browser, made) = try await deployment.makeAppKey(as: address, in: self.browser())
        guard let found = made.text.firstMatch(of: #/sgk_[A-Za-z0-9_-]{43}/#) else {
            throw ProbeFailure("no key: \(made.status) \(made.text)")
        }
        return (browser, String(found.0))
    }

    fileprivate func add(in browser: Browser, _ values: [String: String]) async throws -> Visit {
        let list = try await browser.get(origin + "/app-keys")
        let all = ["client": Self.service].merging(values) { $1 }
        return try await browser.submit(list.page().form(to: "/app-keys/add"), on: list, all)
    }

    /// What happens while the service has other keys in its entry.
    fileprivate func changing(
        _ values: [String: ClientEntry.Value?], backTo before: [String: ClientEntry.Value?],
        _ body: () async throws -> Visit
    ) async throws -> Visit {
        let registrar = deployment.registrar
        try await deployment.make(SetClient(Self.service, values, logo: nil, registrar))
        let visit = try await body()
        try await deployment.make(SetClient(Self.service, before, logo: nil, registrar))
        return visit
    }

    fileprivate func check(_ headers: HTTPProbe.Headers) async throws -> Visit {
        try await ask("GET", "check", headers)
    }

    /// What the proxy of the service sends, and the user of the service sees.
    fileprivate func ask(_ method: String, _ step: String, _ headers: HTTPProbe.Headers) async throws -> Visit {
        try await deployment.addAppKeyService()
        let proxy = [
            ("X-Forwarded-Proto", "https"), ("X-Forwarded-Host", "apps.wiki.example.com"), ("X-Forwarded-Uri", "/page"),
            ("Accept-Language", language),
        ]
        let probe = HTTPProbe(port: deployment.port, authority: "localhost:4000")
        let reply = try await probe.send(
            method, "/gate/\(Self.service)/\(step)", proxy + headers, body: method == "POST" ? [] : nil)
        return Visit(address: try WebAddress(origin), reply: reply)
    }
}
