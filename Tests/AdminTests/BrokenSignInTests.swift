import Foundation
import SSOShared
import SSOWeb
import Storage
import Synchronization
import Testing

@testable import Counterparts
@testable import IdPAdmin
@testable import IdPClients
@testable import IdPMail
@testable import IdPOperations
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// The list in docs/operations.md, each row broken, found at `/admin/trouble`, and mended by its button.
@Suite("Twenty broken sign-ins", .program)
struct BrokenSignInTests {
    @Test(
        "trouble names the cause, and where a button mends it, it stands there, and the next sign-in works",
        arguments: BrokenSignIn.all)
    func broken(_ row: BrokenSignIn) async throws {
        let mailer = BrokenMailer()
        try await TestDeployment.openAdmin(
            settings: ["IDP_ALLOWED_EMAILS": "*@example.com"],
            mailer: { folder in
                mailer.begin(folder)
                return mailer
            }
        ) { deployment in
            let scene = BrokenScene(deployment: deployment, mailer: mailer)
            try await scene.prepare()
            let early = row.isSeenBefore ? try await deployment.adminBrowser() : nil
            let word = try await row.breaks(scene)
            let admin = if let early { early } else { try await deployment.adminBrowser() }
            let trouble = "\(deployment.origin)/admin/trouble?word=\(PercentCoding.encode(word))"
            let page = try await eventually("\(row.name): \(row.says)") {
                let page = try await admin.get(trouble)
                return page.text.contains(row.says) ? page : nil
            }
            mailer.become(.fine)
            guard let button = row.button?.split(separator: "…") else { return #expect(row.mends == nil) }
            let link = try page.page().links.first { link in button.allSatisfy { link.contains($0) } }
            let first = try await admin.click(link, on: page)
            let question =
                row.typing.isEmpty ? first : try await deployment.fill(admin, on: first, row.typing)
            let made = try await admin.submit(question.page().form(with: "version"), on: question)
            #expect(made.status == 303 || made.status == 200, "\(row.name): \(made.text)")
            try await row.mends?(scene, made)
        }
    }

    @Test("a reference is found in lower case, by trouble and by the filter of the audit log")
    func smallLetters() async throws {
        try await TestDeployment.openAdmin { deployment in
            let refused = try await deployment.browser().get(
                deployment.authorize(AddedClient("wikki"), state: "s"))
            let reference = try #require(refused.text.firstMatch(of: #/<code translate="no">([0-9A-Z]+)</code>/#)?.1)
            let admin = try await deployment.adminBrowser()
            for word in [String(reference), reference.lowercased()] {
                try await eventually("trouble has \(word)") { () -> Void? in
                    let page = try await admin.get(deployment.origin + "/admin/trouble?word=" + word)
                    return page.text.contains("or register the client") ? () : nil
                }
                let page = try await admin.get(deployment.origin + "/admin/audit?reference=" + word)
                #expect(page.text.contains("/admin/trouble?word=\(reference)\""), "\(page.text)")
            }
        }
    }

    @Test("the list in docs/operations.md has these rows, in this order")
    func documented() throws {
        let path = TestVectors.repository.appending(path: "docs/operations.md").path()
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let part = try #require(text.split(separator: "## Twenty broken sign-ins").last)
        let rows = part.prefix { $0 != "#" }.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2)
        let names: [String] = rows.map { row in
            (row.split(separator: "|").first ?? "").trimmingCharacters(in: .whitespaces)
        }
        let known: [String] = BrokenSignIn.all.map { $0.name }
        #expect(names == known && names.count == 20)
        for (row, line) in zip(BrokenSignIn.all, rows) {
            #expect((row.button == nil) == line.hasSuffix("| |"), "\(row.name)")
        }
    }
}

/// A mail server that can refuse and be down.
final class BrokenMailer: Mailer {
    enum State: Sendable { case fine, refuses, isDown }

    private let state = Mutex(State.fine)
    private let outbox = Mutex<OutboxMailer?>(nil)

    func begin(_ folder: String) { outbox.withLock { $0 = OutboxMailer(folder: folder) } }
    func become(_ new: State) { state.withLock { $0 = new } }

    func send(_ email: EmailMessage) async throws(MailError) {
        switch state.withLock(\.self) {
        case .fine: try await outbox.withLock(\.self)?.send(email)
        case .refuses: throw .refused("the mail server refused the recipient with 550: no such user", code: 550)
        case .isDown: throw .unreachable("the mail server refuses the connection")
        }
    }

    func isReached(from: MailFrom) async -> Bool? { state.withLock { $0 != .isDown } }
}
