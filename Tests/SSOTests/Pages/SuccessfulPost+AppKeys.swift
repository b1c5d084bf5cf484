@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

extension SuccessfulPost {
    static let appKeys: [SuccessfulPost] = [
        // The answer is the key itself.
        .form("/app-keys/add", status: 200) { place, address in
            try await place.deployment.makeAppKey(as: address).made
        },
        // On the host of a service behind the gate: the page leads to the sign-out here.
        .form("/gate/a-b_C.1/sign-out", status: 200) { place, _ in
            let deployment = place.deployment
            try await deployment.addAppKeyService()
            let proxy = [("X-Forwarded-Proto", "https"), ("X-Forwarded-Host", "apps.wiki.example.com")]
            let reply = try await HTTPProbe(port: deployment.port, authority: "localhost:4000").post(
                "/gate/app-wiki/sign-out", proxy + [("Sec-Fetch-Site", "same-origin")], body: [])
            return Visit(address: try WebAddress(deployment.origin), reply: reply)
        },
        .form("/app-keys/remove") { place, address in
            let browser = try await place.deployment.makeAppKey(as: address).browser
            let list = try await browser.get(place.deployment.origin + "/app-keys")
            return try await browser.submit(list.page().form(to: "/app-keys/remove"), on: list)
        },
    ]
}
