import SSOShared
import SSOWeb
import Storage

@testable import Counterparts
@testable import IdPAccounts
@testable import IdPClients
@testable import IdPOperations
@testable import TestKit
@testable import WebTestKit

extension PageStates {
    // MARK: The admin pages

    static let admin: [PageState] = adminLists + adminChanges

    private static let adminLists: [PageState] =
        [
            ("admin", "/admin", ".facts"), ("admin-users", "/admin/users", "form.filter"),
            ("admin-users-none", "/admin/users?search=nobody-of-this-name", "p.lead"),
            ("admin-services", "/admin/services", "table"), ("admin-service", "/admin/services/partner-1", ".facts"),
            ("admin-groups", "/admin/groups", "h1"), ("admin-sign-outs", "/admin/sign-outs", "h1"),
            ("admin-audit", "/admin/audit", "form.filter"), ("admin-trouble", "/admin/trouble", "form.filter"),
            ("admin-roles", "/admin/roles", "table"), ("admin-settings", "/admin/settings", "table"),
            ("admin-invite", "/admin/users/invite", "#field-address"),
            ("admin-import", "/admin/users/import", "#field-csv"),
            ("admin-service-add", "/admin/services/add", "#field-address"),
            ("admin-grant", "/admin/roles/grant", "#field-role"),
            ("admin-test-mail", "/admin/test-mail", "input[name=version]"),
        ].map { name, path, mark in
            PageState(name, mark: mark) { studio in
                try await studio.admin().get(studio.origin + path)
            }
        }

    private static let adminChanges: [PageState] = [
        PageState("admin-user", mark: ".buttons a[href$='/disable'], .facts") { studio in
            let browser = try await studio.admin()
            return try await browser.get(studio.origin + studio.userPath())
        },
        // The name of the state is in the address.
        PageState("admin-audit-of-users-with-long-addresses", mark: "td[data-label] a[href^='/admin/services']") {
            studio in
            let browser = try await studio.admin()
            let path = try await studio.userPath()
            let page = try await browser.get(studio.origin + path + "/name")
            let question = try await browser.submit(page.page().form(with: "name"), on: page, ["name": "Ann"])
            _ = try await browser.submit(question.page().form(with: "version"), on: question)
            _ = try await browser.get(
                studio.deployment.authorize(studio.client, state: "s").replacing(
                    "callback", with: "not-registered-here"))
            return try await browser.get(studio.origin + "/admin/audit")
        },
        PageState("admin-question", mark: "input[name=version]") { studio in
            let browser = try await studio.admin()
            return try await browser.get(studio.origin + studio.userPath() + "/sign-out")
        },
        PageState("admin-trouble-found", mark: "table") { studio in
            try await studio.admin().get(
                studio.origin + "/admin/trouble?word=" + PercentCoding.encode(studio.address))
        },
        PageState("admin-invite-wrong", 422, mark: "#field-address[aria-invalid=true]") { studio in
            let browser = try await studio.admin()
            let page = try await browser.get(studio.origin + "/admin/users/invite")
            return try await browser.submit(
                page.page().form(with: "address"), on: page, ["address": "ann@example", "date": "soon"])
        },
        PageState("admin-final", mark: "#field-typed") { studio in
            let browser = try await studio.admin()
            let other = "other-" + studio.address
            try await studio.deployment.invite(other)
            let id = try await studio.accountID(of: other)
            return try await browser.get(studio.origin + "/admin/users/\(id)/erase")
        },
        PageState("admin-done", mark: "[role=status]") { studio in
            let browser = try await studio.admin()
            let page = try await browser.get(studio.origin + studio.userPath() + "/name")
            let question = try await browser.submit(
                page.page().form(with: "name"), on: page, ["name": "Ann Example"])
            return try await browser.follow(
                browser.submit(question.page().form(with: "version"), on: question))
        },
        PageState("admin-secret", mark: ".copy pre") { studio in
            let browser = try await studio.admin()
            let page = try await browser.get(studio.origin + "/admin/services/add")
            let id = "wiki-\(abs(studio.address.hashValue) % 1_000_000)"
            let values = ["id": id, "name": "Wiki", "address": "https://\(id).example.com/callback"]
            let question = try await browser.submit(page.page().form(with: "form_token"), on: page, values)
            return try await browser.submit(question.page().form(with: "version"), on: question)
        },
        PageState("admin-mail-tested", mark: ".buttons a") { studio in
            let browser = try await studio.admin()
            let page = try await browser.get(studio.origin + "/admin/test-mail")
            return try await browser.submit(page.page().form(with: "version"), on: page)
        },
        PageState("admin-refused", 403, mark: "main h1") { studio in
            let browser = try await studio.signedIn()
            try await studio.deployment.isChanged(by: GrantRole(.auditor, to: studio.address))
            return try await browser.get(studio.origin + "/admin/users/invite")
        },
    ]
}

extension PageStudio {
    /// A browser of an admin, whose sign-in is new.
    fileprivate func admin() async throws -> Browser {
        let browser = try await signedIn()
        try await deployment.isChanged(by: GrantRole(.admin, to: address))
        return browser
    }

    fileprivate func userPath() async throws -> String { "/admin/users/\(try await accountID(of: address))" }

    fileprivate func accountID(of address: String) async throws -> String {
        let found = try await deployment.database.read { try AccountStore.find(email: address, $0) }
        guard let found else { throw ProbeFailure("no account \(address)") }
        return found.id
    }
}
