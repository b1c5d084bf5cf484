import Foundation
import SSOShared

@testable import Counterparts
@testable import IdPMail
@testable import IdPProviders
@testable import IdPServer
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

extension PageStates {
    /// The emails, as the frame of the mailbox shows them: for pictures. They are no pages, so no check of pages looks at them.
    static func emails(in folder: TemporaryFolder) throws -> [Group] {
        let plain: [PageState] = [
            email("email-code") { studio in
                let browser = studio.browser()
                _ = try await browser.ask(for: studio.address, on: browser.beginSignIn(at: studio.client))
            },
            email("email-browser-link", "/sign-in/browser/") { studio in
                for _ in 1...3 {
                    _ = try await studio.deployment.waiting(for: studio.address, by: studio.browser())
                    studio.deployment.clock.advance(by: .seconds(61))
                }
            },
            email("email-invitation", "/invitation/") { studio in
                try await studio.deployment.invite(
                    studio.address, language: Language(rawValue: studio.language) ?? .english)
            },
        ]
        let own: [PageState] = [
            email("email-address-code", "role=\"img\"", to: { "new-\($0)" }) { studio in
                _ = try await studio.deployment.askedForAddress("new-\(studio.address)", in: studio.signedIn())
            },
            email("email-address-old", "/address/stop/") { _ = try await $0.stopLink() },
            email("email-address-new", "", to: { "newer-\($0)" }) { studio in
                let browser = try await studio.signedIn()
                _ = try await studio.deployment.changeAddress(to: "newer-\(studio.address)", in: browser)
            },
            email("email-erase", "") { studio in
                _ = try await studio.deployment.askToErase(studio.address, in: studio.signedIn())
            },
        ]
        let notice = email("email-notice", "/sessions") { studio in
            let place = ProviderDeployment(deployment: studio.deployment)
            let browser = try await studio.signedIn()
            try studio.deployment.standIn(.oidc).user = .init(
                subject: "\(studio.state)-\(studio.language)", email: "\(studio.state)@elsewhere.example")
            _ = try await place.add(.oidc, in: browser)
        }
        let branded = email("email-code-branded") { studio in
            let browser = studio.browser()
            _ = try await browser.ask(for: studio.address, on: browser.beginSignIn(at: studio.client))
        }
        // A PNG: few mail programs show SVG.
        let logo = folder.path(of: "logo.png")
        try Data(PageFiles.server.assets["touch-icon.png"] ?? []).write(to: URL(fileURLWithPath: logo))
        return [
            Group(settings: ReplySettings.all, states: plain),
            Group(settings: TestDeployment.ownAccount, states: own),
            Group(settings: ["IDP_SUPPORT_URL": "https://help.example.com"], providers: [.oidc], states: [notice]),
            Group(
                settings: [
                    "IDP_NAME": "Nordlicht", "IDP_LOGO_FILE": logo, "IDP_ACCENT_COLOR": "#0b6b4f",
                    "IDP_SUPPORT_URL": "https://help.example.com",
                ],
                states: [branded]),
        ]
    }

    /// The newest email of a state's address that contains a text. Empty: the newest without a code.
    private static func email(
        _ name: String, _ part: String = "/sign-in/link/", to address: @escaping @Sendable (String) -> String = { $0 },
        _ cause: @escaping @Sendable (PageStudio) async throws -> Void
    ) -> PageState {
        PageState(name, mark: "table") { studio in
            try await cause(studio)
            let outbox = OutboxMailer(folder: studio.deployment.mailbox.folder)
            let name = try await eventually("the email") {
                let sent = outbox.items().filter { $0.item.to == address(studio.address) }
                return sent.last { $0.item.html.contains(part.isEmpty ? "role=\"img\"" : part) != part.isEmpty }?.name
            }
            return try await studio.open("\(studio.deployment.mailboxPage)/\(name)")
        }
    }
}
