import Foundation
import ProbeKit
import SSOShared
import Storage
import Testing

@testable import Counterparts
@testable import IdP
@testable import IdPAccounts
@testable import IdPClients
@testable import IdPOperations
@testable import IdPProviders
@testable import IdPSchema
@testable import IdPServer
@testable import IdPSignOut
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// One way in which sessions end: a user with two browsers has entered a client from both.
struct EndPath: Sendable, CustomTestStringConvertible {
    /// Which sessions the client's messages name.
    enum Told: Sendable {
        case first, second
        /// One message without a session.
        case all
        case nobody
    }

    struct Scene: Sendable {
        let deployment: TestDeployment
        let place: ProviderDeployment?
        let first, second: Browser
        let firstID, secondID, user: String
        var client: TestDeployment.Client { deployment.client }
    }

    let name: String
    let told: Told
    /// What a client reads that asks about an ended session.
    let reason: SessionEndReason
    var needsProvider = false
    let run: @Sendable (Scene) async throws -> Void
    var testDescription: String { name }

    static let all: [EndPath] = byUser + byOthers

    private static let byUser: [EndPath] = [
        EndPath(name: "POST /sign-out", told: .first, reason: .signedOut) { scene in
            _ = try await scene.first.signOut(of: scene.deployment)
        },
        EndPath(name: "the page of a client", told: .first, reason: .signedOut) { scene in
            let page = try await scene.first.get(scene.deployment.signOutPage(of: scene.client))
            let form = try page.page().form(to: SSOPath.signOut)
            let status = try await scene.first.submit(form, on: page).status
            #expect(status == 303)
        },
        EndPath(name: "End on /sessions", told: .second, reason: .signedOut) { scene in
            let page = try await scene.first.get(scene.deployment.origin + "/sessions")
            let form = try page.page().forms.first {
                $0.action == "/sessions/end" && $0["session"] == scene.secondID
            }
            let status = try await scene.first.submit(form, on: page).status
            #expect(status == 303)
        },
        EndPath(name: "Sign out everywhere else", told: .second, reason: .signedOut) { scene in
            let page = try await scene.first.get(scene.deployment.origin + "/sessions")
            let form = try page.page().form(to: "/sessions/end-others")
            let status = try await scene.first.submit(form, on: page).status
            #expect(status == 303)
        },
        EndPath(name: "Use another account", told: .first, reason: .signedOut) { scene in
            let asking = scene.deployment.authorize(scene.client, state: "s") + "&prompt=select_account"
            let choice = try await scene.first.follow(scene.first.get(asking))
            let form = try choice.page().form(to: "/sign-in/account")
            let status = try await scene.first.submit(form, on: choice).status
            #expect(status == 303)
        },
        EndPath(name: "another account signs in", told: .first, reason: .signedOut) { scene in
            let page = try await scene.deployment.signInOnceMore(scene.first, as: "bob@example.com")
            #expect(page.status == 200)
        },
        EndPath(name: "a way to sign in is removed", told: .second, reason: .signedOut, needsProvider: true) { scene in
            guard let place = scene.place else { return }
            _ = try await place.add(.apple, in: scene.first)
            let removed = try await scene.first.pressRemove(on: scene.first.home(of: scene.deployment))
            #expect(removed.status == 303)
        },
        EndPath(name: "the same user signs in again", told: .nobody, reason: .signedOut) { scene in
            let page = try await scene.deployment.signInOnceMore(scene.first)
            #expect(page.status == 200)
        },
    ]

    private static let byOthers: [EndPath] = [
        EndPath(name: "Apple's word", told: .all, reason: .signedOut, needsProvider: true) { scene in
            guard let place = scene.place else { return }
            _ = try await place.add(.apple, in: scene.first)
            let standIn = try place.standIn(.apple)
            let body = try standIn.notification("consent-revoked", subject: standIn.user.subject)
            let status = try await place.sendAppleNotification(body).status
            #expect(status == 200)
        },
        EndPath(name: "idp user disable", told: .all, reason: .accountEnded) { scene in
            _ = try await scene.deployment.change(DisableUser("ann@example.com"))
        },
        EndPath(name: "idp user erase", told: .all, reason: .accountEnded) { scene in
            _ = try await scene.deployment.change(EraseUser("ann@example.com"))
        },
        EndPath(name: "idp user erase --now", told: .all, reason: .accountEnded) { scene in
            _ = try await scene.deployment.change(EraseUser("ann@example.com", .now))
        },
        EndPath(name: "idp user sign-out", told: .all, reason: .signedOut) { scene in
            _ = try await scene.deployment.change(SignOutUser("ann@example.com"))
        },
        EndPath(name: "idp user sign-out --all", told: .all, reason: .signedOut) { scene in
            let changes = OperatorChanges(
                scene.deployment.database, by: .program, clock: scene.deployment.clock.clock)
            let (accounts, _) = try await SignOutEveryone(changes).make()
            #expect(accounts == 1)
        },
        EndPath(name: "idp user end-session", told: .second, reason: .signedOut) { scene in
            let database = scene.deployment.database
            let changes = OperatorChanges(database, by: .program, clock: scene.deployment.clock.clock)
            let change = EndSession(
                of: "ann@example.com", id: scene.secondID,
                devices: AppDevices(database: database, clock: scene.deployment.clock.clock))
            let isChanged = try await changes.make(change).isChanged
            #expect(isChanged)
            await #expect(throws: ChangeError.self) { try await changes.make(change) }
        },
        EndPath(name: "IDP_ALLOWED_EMAILS names the address no more", told: .all, reason: .accountEnded) { scene in
            try await scene.deployment.withSecondIdP(settings: ["IDP_ALLOWED_EMAILS": "*@example.org"]) { narrowed in
                try await eventually("the job at start is done") {
                    try await narrowed.stored.clientSignIns.open.count() == 0
                        ? () : nil
                }
            }
        },
        EndPath(name: "the first proof of the address", told: .first, reason: .signedOut) { scene in
            // As if a provider's word had made the account: its address was never proven.
            try await scene.deployment.stored.identities.emails.delete()
            try await scene.deployment.stored.identities.add(AddedIdentity(scene.user, "7"))
            try await scene.deployment.stored.clientSignIns.of(session: scene.secondID).delete()
            let asking = try await scene.deployment.askingAgain()
            let status = try await asking.guess(asking.code).status
            #expect(status == 303)
        },
        EndPath(name: "idp restore", told: .all, reason: .signedOut) { scene in
            try await RestoredDatabase(database: scene.deployment.database).endSignIns(
                now: scene.deployment.clock.now)
        },
        EndPath(name: "its time is over", told: .nobody, reason: .expired) { scene in
            scene.deployment.clock.advance(by: .hours(3))
        },
    ]
}

extension AppDevices {
    /// As of a command.
    init(database: any Database, clock: ServiceClock) {
        self.init(
            tokens: AccessTokenStore(
                database: database, clock: clock, randomness: SystemRandomness(), eligibility: .ofCommand),
            sessions: SessionStore(
                database: database, clock: clock, randomness: SystemRandomness(),
                lifetime: SessionLifetime(absolute: .hours(12), idle: .hours(2))),
            signOuts: SignOuts(clock: clock, randomness: SystemRandomness()))
    }
}

/// Threats 209, 210 and 212.
@Suite("Every end of a session", .program)
struct EveryEndTests {
    @Test(
        "reaches the client that has redeemed a token of it, or nobody where its time is over", arguments: EndPath.all)
    func reaches(path: EndPath) async throws {
        let stub = try StandInClient()
        let keys = "logout_uri: \"\(stub.logoutURI)\""
        if path.needsProvider {
            try await ProviderDeployment.open([.apple], clientKeys: keys) { place in
                try await check(path, place.deployment, place, stub)
            }
        } else {
            try await TestDeployment.open(clientKeys: keys) { try await check(path, $0, nil, stub) }
        }
    }

    private func check(
        _ path: EndPath, _ deployment: TestDeployment, _ place: ProviderDeployment?, _ stub: StandInClient
    ) async throws {
        let first = try await deployment.furtherBrowser()
        let second = try await deployment.furtherBrowser()
        let entered = try await deployment.enter(deployment.client, in: first)
        let other = try await deployment.enter(deployment.client, in: second)
        #expect(entered.session.id != other.session.id)
        // Whatever becomes of the tokens.
        try await deployment.stored.grants.delete()
        let scene = EndPath.Scene(
            deployment: deployment, place: place, first: first, second: second, firstID: entered.session.id,
            secondID: other.session.id, user: entered.user.id)
        try await path.run(scene)

        let expected: [String?] =
            switch path.told {
            case .first: [entered.session.id]
            case .second: [other.session.id]
            case .all: [nil]
            case .nobody: []
            }
        let received = try await stub.received(expected.count)
        #expect(received.map(\.message.session) == expected)
        for one in received {
            #expect(one.message.user == entered.user.id && one.message.clientID == deployment.client.id)
            #expect(one.client == deployment.client.id)
            #expect(try one.isSigned(by: deployment.client.secret))
            #expect(try !one.isSigned(by: deployment.client.secret, label: .verify))
        }
        #expect(try await deployment.rows(of: "sign_out_message") == expected.count)
        // The receipts.
        try await eventually("every message is delivered") {
            try await deployment.stored.signOutMessages.delivered.count()
                == expected.count ? () : nil
        }
        let ended = path.told == .second ? other : entered
        if path.told != .nobody || path.reason == .expired {
            let answer = try await deployment.answer(ended.session.id, of: ended.user.id, as: deployment.client)
            #expect(answer == .inactive(path.reason, clientID: deployment.client.id))
        }
    }

    @Test("a new sign-in of the same user keeps the id that a client was told, also through a second client")
    func follows() async throws {
        let stub = try StandInClient()
        try await TestDeployment.open(clients: 2, clientKeys: "logout_uri: \"\(stub.logoutURI)\"") { deployment in
            let browser = try await deployment.furtherBrowser()
            let told = try await deployment.enter(deployment.clients[0], in: browser)
            #expect(try await deployment.signInOnceMore(browser).status == 200)
            let again = try await deployment.enter(deployment.clients[0], in: browser)
            let other = try await deployment.enter(deployment.clients[1], in: browser)
            #expect(again.session.id == told.session.id && other.session.id != told.session.id)
            let answer = try await deployment.answer(told.session.id, of: told.user.id, as: deployment.clients[0])
            guard case .active(let reply) = answer else { return #expect(Bool(false)) }
            #expect(reply.session.id == told.session.id && reply.user == told.user)

            _ = try await browser.signOut(of: deployment)
            let received = try await stub.received(2)
            #expect(
                Set(received.map { "\($0.message.clientID) \($0.message.session ?? "all")" })
                    == ["partner-1 \(told.session.id)", "partner-2 \(other.session.id)"])
        }
    }

    @Test("the end of a sign-in and its message are one transaction: where the message cannot be written, nothing ends")
    func transaction() async throws {
        let stub = try StandInClient()
        try await TestDeployment.open(clientKeys: "logout_uri: \"\(stub.logoutURI)\"") { deployment in
            let browser = try await deployment.furtherBrowser()
            _ = try await deployment.enter(deployment.client, in: browser)
            try await deployment.stored.refuseRows(in: "sign_out_message")
            #expect(try await browser.signOut(of: deployment).status >= 500)
            #expect(try await browser.isSignedInOnHomePage(of: deployment))
            #expect(try await deployment.stored.clientSignIns.open.count() == 1)
            try await deployment.stored.takeRows(in: "sign_out_message")
            #expect(try await browser.signOut(of: deployment).status == 303)
            #expect(try await stub.received(1).count == 1)
        }
    }
}
