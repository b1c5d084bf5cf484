@testable import TestKit

extension PageStates {
    // MARK: Access to clients

    /// The user may enter the first client, which the home page leaves out, and none of the others.
    static let accessKeys = [
        "access: everyone, hidden: true", "groups: [board]", "groups: [board], contact: \"mailto:desk@example.com\"",
    ]

    private static let form = "form[action='/sign-in/account'] button"

    static let access: [PageState] = [
        PageState("no-access", 403, mark: "main:not(:has(a[href^='mailto:'])) \(form)") { studio in
            try await studio.signedIn().get(studio.deployment.authorize(studio.deployment.clients[1], state: "s"))
        },
        PageState("no-access-contact", 403, mark: "main:has(a[href^='mailto:']) \(form)") { studio in
            try await studio.signedIn().get(studio.deployment.authorize(studio.deployment.clients[2], state: "s"))
        },
        PageState("home-no-services", mark: "form[action='/name']") { studio in
            try await studio.signedIn().get(studio.origin + "/")
        },
    ]
}
