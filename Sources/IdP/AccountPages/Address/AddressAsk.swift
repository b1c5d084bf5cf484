import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import IdPMail
import Logging
import SSOShared
import SSOWeb
import Storage

/// `POST /address/ask`: sends a code to another address, which is to become that of the account. The answer is the same for every
/// address, also for one that another account has.
struct AddressAsk: WaitingChange {
    struct Asked: Codable, Sendable {
        /// As it was typed.
        let address: String
    }

    static let id = "address_change"
    static let path = AddressPath.ask
    static let home = AddressPath.page
    static let needs = Proof.Need.recent

    let parts: SharedParts

    func asked(in fields: URLEncodedFields) throws -> Asked {
        Asked(address: String((try fields.text("email") ?? "").prefix(254)))
    }

    func formAgain(_ form: SubmittedForm, for user: SignedInUser) async throws -> Response? {
        let typed = try asked(in: form.fields).address
        let address = try? Entered.address(typed)
        guard address.map({ $0.text.utf8.elementsEqual(user.account.email.utf8) }) ?? true else { return nil }
        return try await AddressPage(parts: parts).response(
            form.request, user, typed: typed, error: Text(address == nil ? "address.bad" : "address.same"))
    }

    func signInAgain(as email: String) -> Text? { Text("address.sign-in-again", ["email": email]) }

    func page(of asked: Asked, for user: SignedInUser, _ connection: any SQLConnection) throws -> ChangePage? {
        ChangePage(
            title: Text("address.change"),
            explanation: Text("address.confirm", ["email": user.account.email, "to": asked.address]))
    }

    func carryOut(_ asked: Asked, for user: SignedInUser, _ context: VisitorContext) throws -> ChangeStep {
        guard let address = try? Entered.address(asked.address) else { throw PublicError.badNewAddress }
        let (id, emailID) = (
            try AddressKeys.newID(parts.randomness), Base64URL.encode(try parts.randomness.bytes(16))
        )
        return .here { user, _, connection in
            let now = parts.clock.now()
            guard try needs(of: user, connection).isMet(by: user, now: now),
                try AddressChangeStore.fixed(
                    user.account, isNamedAdmin: parts.admins.contains(user.account.email), at: now, connection) == nil
            else { return .done(goingTo: Self.home) }
            guard !address.text.utf8.elementsEqual(user.account.email.utf8) else { return .refused(.sameAddress) }
            let requester = EmailRequester(browserID: nil, network: nil)
            guard try !AddressChangeStore.isUsedUp(address, at: now, connection),
                try parts.mail.nextAllowed(for: address.budgetKey, requester, now: now, connection) == nil
            else { return .refused(.manyAddressEmails) }
            let fate = try fate(of: address, for: user.account, now, connection)
            try AddressChangeStore.insert(
                id, of: user.account, session: user.session.handle, to: address, fate, at: now, connection)
            // The same for every address: it counts, and only the owner of the mailbox sees what it is.
            try parts.mail.enqueue(
                QueuedMail(
                    id: emailID, address: address.budgetKey, kind: OwnAccountMail.kind,
                    subjectID: fate == .refused ? nil : OwnAccountMail.Subject.code.id(of: id),
                    expiresAt: now + AddressChange.codeLifetime),
                by: requester, hasAccount: true, leavesAt: now, connection)
            return .done(
                goingTo: AddressPath.code,
                recording: Event(
                    .addressChangeAsked, by: .user(user.account.id), account: user.account.id,
                    session: user.session.handle, ["fate": "\(fate.rawValue)"]))
        }
    }

    /// What the new address gets. Everything is looked at for every address.
    private func fate(
        of address: EmailAddress, for account: Account, _ now: Timestamp, _ connection: any SQLConnection
    ) throws -> AddressChange.Fate {
        let owners = [
            try AccountStore.find(email: address.text, connection), try AccountStore.find(.email(address), connection),
        ]
        let isKept = try AddressChangeStore.isKept(address.text, at: now, connection)
        if owners.contains(where: { $0 != nil }) { return .taken }
        return isKept || !mayHave(address, account) ? .refused : .code
    }

    /// Whether an account may have an address by its user's own hand: one that `IDP_ALLOWED_EMAILS` names; and for an account that an
    /// operator added, one of its own domain. Who loses the mailbox of the company must not keep the account by a private one.
    private func mayHave(_ address: EmailAddress, _ account: Account) -> Bool {
        if parts.eligibility.allowed.contains(address.text) { return true }
        guard account.addedAt != nil else { return false }
        func domain(_ text: String) -> Substring? { text.split(separator: "@").last }
        return domain(account.email) == domain(address.text)
    }
}

extension PublicError {
    private static func address(_ status: HTTPResponse.Status, _ code: String, _ text: String) -> PublicError {
        PublicError(
            status, code: code, title: Text("address.none"), explanation: Text(text),
            nextStep: .init(label: Text("address.title"), href: AddressPath.page), cause: code)
    }

    fileprivate static let badNewAddress = address(.unprocessableContent, "address_form", "address.bad")
    fileprivate static let sameAddress = address(.unprocessableContent, "address_same", "address.same")
    fileprivate static let manyAddressEmails = address(.tooManyRequests, "address_emails", "address.many")
    /// Another account has it since the code was sent.
    static let addressTaken = address(.conflict, "address_taken", "address.taken")
    static let addressCodeEnded = address(.gone, "address_code_ended", "address.code-ended")
}
