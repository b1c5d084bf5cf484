import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPAdmin
@testable import IdPClients
@testable import IdPMail
@testable import IdPOperations
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// A row of the list in docs/operations.md.
struct BrokenSignIn: Sendable, CustomTestStringConvertible {
    let name: String
    /// What the page says.
    let says: String
    /// A part of the address of the button; nil without one.
    var button: String?
    /// What is typed on its page.
    var typing: [String: String] = [:]
    /// Whether the admin has signed in before: nobody can while the mail server fails.
    var isSeenBefore = false
    /// Breaks it, and lets a sign-in fail.
    ///
    /// - Returns: the word to type.
    let breaks: @Sendable (BrokenScene) async throws -> String
    /// Signs in again, after the button.
    var mends: (@Sendable (BrokenScene, Visit) async throws -> Void)?

    var testDescription: String { name }

    static let all = users + mail + clients + secrets + late
    static let ann = "ann@example.com"
    static let guest = "guest@partner.org"

    private static let users: [BrokenSignIn] = [
        BrokenSignIn(
            name: "address not allowed", says: "IDP_ALLOWED_EMAILS does not name it", button: "/users/invite",
            breaks: { scene in
                _ = try await scene.deployment.waiting(for: guest, by: scene.deployment.browser())
                return guest
            }, mends: { scene, _ in try await scene.signIn(guest) }),
        BrokenSignIn(
            name: "account disabled", says: "is disabled", button: "/enable",
            breaks: { scene in
                try await scene.deployment.isChanged(by: DisableUser(ann))
                return ann
            }, mends: { scene, _ in try await scene.signIn(ann) }),
        BrokenSignIn(
            name: "last day passed", says: "The last day of", button: "/end-date", typing: ["date": ""],
            breaks: { scene in
                let end = scene.deployment.clock.now + .days(1)
                try await scene.deployment.isChanged(by: SetEndDate(ann, to: end))
                scene.deployment.clock.advance(by: .days(2))
                return ann
            }, mends: { scene, _ in try await scene.signIn(ann) }),
    ]

    private static let mail: [BrokenSignIn] = [
        BrokenSignIn(
            name: "domain misspelt", says: "@exmaple.com",
            breaks: { scene in
                scene.deployment.clock.advance(by: .days(2))
                _ = try await scene.deployment.waiting(for: "ann@exmaple.com", by: scene.deployment.browser())
                return ann
            }),
        BrokenSignIn(
            name: "too many emails", says: "The next one may leave on",
            breaks: { scene in
                for _ in 1...12 {
                    scene.deployment.clock.advance(by: .seconds(61))
                    _ = try await scene.deployment.waiting(for: ann, by: scene.deployment.browser())
                    try await scene.settle()
                }
                return ann
            }),
        BrokenSignIn(
            name: "mail server refuses", says: "refused 550", button: "/admin/test-mail", isSeenBefore: true,
            breaks: { scene in
                try await scene.failMail(.refuses, until: "mail_not_sent")
                return ann
            },
            mends: { scene, made in
                try scene.expect(made.text, "has taken the email")
                try await scene.signIn(ann)
            }),
        BrokenSignIn(
            name: "mail server down", says: "has been waiting since", button: "/admin/test-mail", isSeenBefore: true,
            breaks: { scene in
                try await scene.failMail(.isDown, until: "mail_queued")
                return ann
            },
            mends: { scene, made in
                try scene.expect(made.text, "has taken the email")
                try await scene.waitForMail()
                try await scene.signIn(ann)
            }),
        BrokenSignIn(
            name: "email in the spam folder", says: "The mail server took the last email",
            breaks: { scene in
                _ = try await scene.deployment.asking(ann)
                return ann
            }),
        BrokenSignIn(
            name: "invitation withdrawn", says: "may not sign in", button: "/users/invite",
            breaks: { scene in
                try await scene.deployment.invite(guest)
                let link = try await scene.deployment.invitationLink(to: guest)
                try await scene.deployment.isChanged(by: WithdrawInvitation(guest))
                let browser = scene.deployment.browser()
                try scene.expect(try await browser.follow(browser.get(link)).text, "Main App")
                return guest
            }, mends: { scene, _ in try await scene.signIn(guest) }),
    ]

    private static let clients: [BrokenSignIn] = [
        BrokenSignIn(
            name: "user in no group", says: "in no group that may enter", button: "/users/…/groups",
            typing: ["groups": "staff"],
            breaks: { scene in
                try await scene.deployment.makeGroups(["staff"])
                try await scene.change(["access": nil, "groups": .list(["staff"])])
                let refused = try await scene.browser.get(scene.deployment.authorize(scene.wiki, state: "s"))
                guard refused.status == 403 else { throw ProbeFailure(refused.text) }
                return ann
            }, mends: { scene, _ in try await scene.enter() }),
        BrokenSignIn(
            name: "redirect URI not registered", says: "byte for byte", button: "/register?address=",
            breaks: { scene in
                try await scene.change(["redirect_uris": .list([scene.wiki.callback + "/"])])
                // The first request after the change still knows the address, and reads the change.
                _ = try await scene.browser.get(scene.deployment.authorize(scene.wiki, state: "s"))
                let refused = try await scene.browser.get(scene.deployment.authorize(scene.wiki, state: "s"))
                guard refused.status == 400 else { throw ProbeFailure(refused.text) }
                return "wiki"
            }, mends: { scene, _ in try await scene.enter() }),
        BrokenSignIn(
            name: "unknown service", says: "or register the client",
            breaks: { scene in
                let unknown = AddedClient("wikki")
                let refused = try await scene.browser.get(scene.deployment.authorize(unknown, state: "s"))
                guard let reference = refused.text.firstMatch(of: #/<code translate="no">([0-9A-Z]+)</code>/#)?.1 else {
                    throw ProbeFailure("no reference: \(refused.text)")
                }
                return String(reference)
            }),
        BrokenSignIn(
            name: "service disabled", says: "is disabled", button: "/services/wiki/enable",
            breaks: { scene in
                try await scene.deployment.make(EnableClient("wiki", false, scene.deployment.registrar))
                _ = try await scene.browser.get(scene.deployment.authorize(scene.wiki, state: "s"))
                return "wiki"
            }, mends: { scene, _ in try await scene.enter() }),
        BrokenSignIn(
            name: "`state` missing", says: "state_<wbr>missing",
            breaks: { scene in
                let address = scene.deployment.authorize(scene.wiki, state: "s").replacing("&state=s", with: "")
                _ = try await scene.browser.get(address)
                return "wiki"
            }),
    ]

    /// A secret as the service uses it by mistake.
    private static func secret(
        _ name: String, _ says: String, _ key: @escaping @Sendable (BrokenScene) async throws -> [UInt8]
    ) -> BrokenSignIn {
        BrokenSignIn(
            name: name, says: says, button: "/services/wiki/rotate",
            breaks: { scene in
                let reply = try await NearSecretTests.post(key(scene), as: "wiki", scene.deployment)
                guard reply.status == 401 else { throw ProbeFailure(reply.text) }
                return "wiki"
            },
            mends: { scene, made in
                guard let new = made.text.firstMatch(of: #/SSO_SHARED_SECRET=([0-9a-f]{64})/#)?.1 else {
                    throw ProbeFailure("no secret: \(made.text)")
                }
                try await scene.enter(with: String(new))
            })
    }

    private static let secrets: [BrokenSignIn] = [
        secret("secret with a line end", "with a line end behind it") { Array($0.wiki.secret.utf8) + [10] },
        secret("secret with a blank", "with a blank at one end") { Array($0.wiki.secret.utf8) + [32] },
        secret("secret decoded from hexadecimal", "The text itself is the key") { Hex.decode($0.wiki.secret) ?? [] },
        secret("secret retired", "which was retired on") { scene in
            _ = try await scene.deployment.rotate(scene.wiki)
            try await scene.deployment.make(RetireSecret("wiki", isForced: true, scene.deployment.registrar))
            // A request of a user reads the clients.
            _ = try await scene.browser.get(scene.deployment.authorize(scene.wiki, state: "s"))
            return Array(scene.wiki.secret.utf8)
        },
        secret("secret of another service", "that of the service partner-1") {
            Array($0.deployment.client.secret.utf8)
        },
    ]

    private static let late = [
        BrokenSignIn(
            name: "token redeemed too late", says: "It came too late",
            breaks: { scene in
                let token = try await scene.browser.token(for: scene.wiki, of: scene.deployment)
                scene.deployment.clock.advance(by: .minutes(6))
                let reply = try await scene.deployment.redeem(token, as: scene.wiki)
                guard reply.status == 401 else { throw ProbeFailure(reply.text) }
                return "wiki"
            })
    ]
}

/// A deployment with a user who is signed in, and a service of the database.
struct BrokenScene: Sendable {
    let deployment: TestDeployment
    let mailer: BrokenMailer
    let browser: Browser
    let wiki: AddedClient

    init(deployment: TestDeployment, mailer: BrokenMailer) {
        (self.deployment, self.mailer) = (deployment, mailer)
        browser = deployment.browser()
        let bytes = (try? SystemRandomness().bytes(32)) ?? []
        wiki = AddedClient("wiki", secret: Hex.encode(bytes))
    }

    func prepare() async throws {
        try await deployment.add(wiki)
        _ = try await browser.signIn(at: deployment.client, of: deployment, as: BrokenSignIn.ann)
        try await settle()
        deployment.clock.advance(by: .seconds(61))
    }

    /// Waits until each email that was queued has its row: an email leaves beside the requests.
    func settle() async throws {
        try await eventually("each email has left") { () async throws -> Void? in
            let rows = try await deployment.auditRows()
            let (queued, sent) = (rows.count { $0.event == "mail_queued" }, rows.count { $0.event == "mail_sent" })
            // What admins are told has no row when it is queued.
            return try await waiting == 0 && sent >= queued ? () : nil
        }
    }

    func change(_ values: [String: ClientEntry.Value?]) async throws {
        try await deployment.make(SetClient("wiki", values, logo: nil, isForced: true, deployment.registrar))
    }

    /// Asks for a code while the mail server fails, until the audit log has a row.
    func failMail(_ state: BrokenMailer.State, until event: String) async throws {
        mailer.become(state)
        _ = try await deployment.waiting(for: BrokenSignIn.ann, by: deployment.browser())
        try await eventually("a row \(event)", every: .milliseconds(50)) { () async throws -> Void? in
            // Slower than the code ends.
            deployment.clock.advance(by: .milliseconds(500))
            let last = try await deployment.auditRows().last { $0.event == event && $0.address != nil }
            return last.map { _ in () }
        }
    }

    /// Waits until the emails of before have left.
    func waitForMail() async throws {
        try await eventually("no email waits", every: .milliseconds(50)) { () async throws -> Void? in
            deployment.clock.advance(by: .milliseconds(500))
            return try await waiting == 0 ? () : nil
        }
    }

    private var waiting: Int { get async throws { try await deployment.stored.emails.unsent.waiting.count() } }

    func expect(_ text: String, _ part: String) throws {
        guard text.contains(part) else { throw ProbeFailure("no \(part) in \(text)") }
    }

    /// Signs in by email.
    func signIn(_ address: String) async throws {
        deployment.clock.advance(by: .seconds(61))
        let browser = deployment.browser()
        let earlier = mailbox(address)
        let waiting = try await browser.ask(for: address, on: browser.get(deployment.origin + "/sign-in"))
        let code = try await deployment.mailbox.code(to: address, besides: earlier)
        let done = try await browser.submit(waiting.page().form(with: "code"), on: waiting, ["code": code])
        guard done.status == 303 else { throw ProbeFailure("not signed in: \(done.text)") }
    }

    private func mailbox(_ address: String) -> [Mailbox.Email] { deployment.mailbox.all(to: address) }

    /// The user enters the service.
    func enter(with secret: String? = nil) async throws {
        let client = secret.map { AddedClient("wiki", secret: $0) } ?? wiki
        let token = try await browser.token(for: client, of: deployment)
        let reply = try await deployment.redeem(token, as: client)
        guard reply.status == 200 else { throw ProbeFailure(reply.text) }
    }
}
