@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit

extension SuccessfulPost {
    static let appKeys: [SuccessfulPost] = [
        // The answer is the key itself.
        .form("/app-keys/add", status: 200) { place, address in
            try await place.deployment.makeAppKey(as: address).made
        },
        .form("/app-keys/remove") { place, address in
            let browser = try await place.deployment.makeAppKey(as: address).browser
            let list = try await browser.get(place.deployment.origin + "/app-keys")
            return try await browser.submit(list.page().form(to: "/app-keys/remove"), on: list)
        },
    ]
}
