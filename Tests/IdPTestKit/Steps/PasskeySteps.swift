import JWT
import SSOShared
import SSOWeb
import Storage

@testable import Counterparts
@testable import IdPAccounts
@testable import IdPOperations
@testable import IdPServer
@testable import IdPSignOut
@testable import TestKit
@testable import WebTestKit

/// The steps of a user with a passkey: what the script of the pages does, with an authenticator in memory.
extension Visit {
    /// What the page asks the browser for, to sign in or to add a passkey.
    func passkeyOptions() throws -> String {
        let button = try page().tags.first { $0.name == "button" && $0["data-passkey-options"] != nil }
        guard let options = button?["data-passkey-options"], !options.isEmpty else {
            throw ProbeFailure("no options at \(address.absolute) (\(status)):\n\(text)")
        }
        return options
    }
}

extension Browser {
    /// Sends an answer of an authenticator as the script of the page does. Redirects are not followed.
    func sendPasskey(_ answer: String, on page: Visit, remembering: Bool = false) async throws -> Visit {
        try await submit(
            page.page().form(with: "passkey"), on: page,
            remembering ? ["passkey": answer, "remember": "1"] : ["passkey": answer])
    }

    /// Signs in with a passkey on a sign-in page. Redirects are not followed.
    func usePasskey(_ authenticator: SoftwareAuthenticator, on page: Visit, id: [UInt8]? = nil) async throws -> Visit {
        try await sendPasskey(
            authenticator.get(page.passkeyOptions(), at: page.address.origin, id: id), on: page)
    }

    /// Adds a passkey on its page. Redirects are not followed.
    func addPasskey(_ authenticator: SoftwareAuthenticator, on page: Visit) async throws -> Visit {
        try await sendPasskey(authenticator.create(page.passkeyOptions(), at: page.address.origin), on: page)
    }

    /// Asks for new options, as the script of a sign-in page does.
    func renewPasskeyOptions(on page: Visit) async throws -> Visit {
        let form = try page.page().form(with: "passkey")
        let address = try page.page().tags.lazy.compactMap { $0["data-renewal"] }.first
        guard let token = form?["form_token"], let address else { throw ProbeFailure("no passkeys:\n\(page.text)") }
        let target = try page.address.resolving(address)
        let proof = target.path == Browser.pathWithoutToken ? [] : [("X-CSRF-Token", token)]
        return try await send(
            "POST", target, proof + [("Origin", page.address.origin), ("Sec-Fetch-Site", "same-origin")], body: [])
    }
}

extension TestDeployment {
    /// The page that adds a passkey.
    func passkeyPage(_ browser: Browser) async throws -> Visit {
        try await browser.follow(browser.get(origin + "/passkeys/add"))
    }

    /// A browser that has signed in by email and has added a passkey of this authenticator. Its notice has been sent.
    func passkeyOwner(
        _ authenticator: SoftwareAuthenticator, as address: String = "ann@example.com"
    ) async throws -> Browser {
        let browser = try await signedIn(as: address)
        let earlier = mailbox.all(to: address).count
        let added = try await browser.addPasskey(authenticator, on: passkeyPage(browser))
        guard added.status == 303, try added.location().query("added") != nil else {
            throw ProbeFailure("the passkey was not added: \(added.status)\n\(added.text)")
        }
        _ = try await eventually("the notice of the passkey") {
            self.mailbox.all(to: address).count > earlier ? true : nil
        }
        return browser
    }

    /// Gives an account a passkey, and makes the account if there is none, as if all of it had happened long ago: nothing is
    /// sent or recorded.
    func givePasskey(to address: String, named name: String = "Test") async throws -> SoftwareAuthenticator {
        let credential = SoftwareAuthenticator.Credential(
            id: try RandomBytes.generate(32), relyingPartyID: "localhost", userHandle: try RandomBytes.generate(32),
            key: try PrivateKey(new: .es256), signCount: 0)
        let key = try PasskeySignature.publicKey(credential.key).encoded
        let accounts = AccountStore(
            database: database, clock: clock.clock, randomness: SystemRandomness(),
            eligibility: SignInEligibility(allowed: try AllowedEmails("*@example.com"), clock: clock.clock),
            signOuts: SignOuts(clock: clock.clock, randomness: SystemRandomness(), protocols: .builtIn))
        let email = try EmailAddress(address)
        let handle = try await database.write { connection in
            guard let account = try accounts.account(of: ProvenIdentity.email(email), connection)?.account else {
                throw ProbeFailure("no account")
            }
            let outcome = try PasskeyStore.add(
                AddedPasskey(
                    PasskeyID(relyingParty: "localhost", credential: credential.id), publicKey: key, algorithm: -7,
                    signCount: 0, isBackupEligible: true, isBackedUp: true, transports: ["internal"],
                    aaguid: [UInt8](repeating: 0, count: 16)), named: name, to: account, accounts, connection)
            guard case .added = outcome else { throw ProbeFailure("\(outcome)") }
            return try PasskeyStore.handle(of: account.id, SystemRandomness(), connection)
        }
        var held = credential
        held.userHandle = handle
        return SoftwareAuthenticator(.synced, holding: [held])
    }

    /// A browser that has signed in with a passkey, and the list of passkeys there.
    ///
    /// - Parameter isAdded: false for an account that has passkeys: the browser signs in by email.
    func passkeyList(
        as address: String = "ann@example.com", in fresh: Browser? = nil, adding isAdded: Bool = true
    ) async throws -> (browser: Browser, list: Visit) {
        let browser = isAdded ? fresh ?? browser() : try await signedIn(as: address)
        if isAdded { _ = try await browser.usePasskey(givePasskey(to: address), on: signInPage(browser)) }
        return (browser, try await browser.get(origin + "/passkeys"))
    }

    /// The link that an operator prints for a user who has never signed in.
    func printLink(for address: String) async throws -> String {
        let key = try PrintedLinkKey()
        let eligibility = SignInEligibility(allowed: try AllowedEmails("*@example.com"), clock: clock.clock)
        _ = try await isChanged(by: PrintLink(key, for: try EmailAddress(address), eligibility))
        return origin + "/sign-in/operator/" + key.wire
    }

    /// The sign-in page of a client that asks a user who is signed in for a new sign-in.
    func signInAgainPage(_ browser: Browser) async throws -> Visit {
        try await browser.follow(browser.get(authorize(client, state: "again") + "&prompt=login"))
    }

    /// The sign-in page in a browser.
    func signInPage(_ browser: Browser) async throws -> Visit { try await browser.get(origin + "/sign-in") }
}
