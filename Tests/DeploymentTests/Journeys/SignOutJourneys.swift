import Foundation
import Testing

@testable import IdPTestKit
@testable import TestKit

extension Journeys.Operators {
    @Suite("Sign-out everywhere, with real relying parties", .journey)
    struct SignOutEverywhere {
        /// Two relying parties, with a clients file that says where they take messages.
        private static func deployment() throws -> ProcessDeployment {
            let pair = try ProcessDeployment(clients: 2)
            var file = pair.folder.text(of: "clients.yaml")
            for client in pair.clients {
                file = file.replacingOccurrences(
                    of: "redirect_uris: [\(client.callback)]",
                    with: "redirect_uris: [\(client.callback)]\n    logout_uri: \(client.origin)/auth/sso/logout")
            }
            _ = try pair.folder.write(file, to: "clients.yaml")
            return pair
        }

        /// A browser that is signed in at every client.
        private static func browser(of address: String, _ pair: ProcessDeployment) async throws -> Browser {
            let browser = Browser()
            let first = try await browser.signIn(at: pair.clients[0], of: pair, as: address)
            _ = try await browser.follow(browser.get(first.callback()))
            let second = try await browser.follow(browser.beginSignIn(at: pair.clients[1]))
            _ = try await browser.follow(browser.get(second.callback()))
            for client in pair.clients { #expect(try await browser.isSignedIn(at: client)) }
            return browser
        }

        private static func isOut(_ browser: Browser, at client: ClientProcess) async throws {
            try await eventually("\(client.id) has signed the user out") {
                try await browser.isSignedIn(at: client) ? nil : ()
            }
        }

        @Test("a user whom an operator signs out is out at each client, and nobody else is")
        func byOperator() async throws {
            try await ProcessDeployment.running(Self.deployment()) { pair in
                let (ann, ben) = (
                    try await Self.browser(of: "ann@example.com", pair),
                    try await Self.browser(of: "ben@example.com", pair)
                )
                try await pair.idp(["user", "sign-out", "ann@example.com"])
                for client in pair.clients { try await Self.isOut(ann, at: client) }
                for client in pair.clients { #expect(try await ben.isSignedIn(at: client)) }
                try await eventually("both have taken their message") {
                    let list = try await pair.idp(["sign-outs", "list", "--json"]).printed
                    return list.components(separatedBy: #""state":"delivered""#).count == 3 ? () : nil
                }
            }
        }

        @Test("the button of the home page signs out at each client, and ann can sign in again at once")
        func byUser() async throws {
            try await ProcessDeployment.running(Self.deployment()) { pair in
                let ann = try await Self.browser(of: "ann@example.com", pair)
                let home = try await ann.get(pair.origin + "/")
                _ = try await ann.submit(home.page().form(to: "/sign-out"), on: home)
                for client in pair.clients { try await Self.isOut(ann, at: client) }
                let again = try await ann.signIn(at: pair.clients[0], of: pair, as: "ann@example.com")
                _ = try await ann.follow(ann.get(again.callback()))
                #expect(try await ann.isSignedIn(at: pair.clients[0]))
            }
        }

        @Test("a client that was down hears it once it is back; the identity provider was killed meanwhile")
        func down() async throws {
            try await ProcessDeployment.running(Self.deployment()) { pair in
                let ann = try await Self.browser(of: "ann@example.com", pair)
                let client = pair.clients[1]
                try await client.process.terminate()
                try await pair.idp(["user", "sign-out", "ann@example.com"])
                try await Self.isOut(ann, at: pair.clients[0])
                try await pair.idp.kill()
                try await pair.idp.start()
                try await client.process.start()
                #expect(try await ann.isSignedIn(at: client))
                try await pair.idp(["sign-outs", "retry", "--client", client.id])
                try await Self.isOut(ann, at: client)
            }
        }
    }
}
