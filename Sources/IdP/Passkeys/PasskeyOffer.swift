import Hummingbird
import IdPAccounts
import IdPFlow
import IdPSignIn
import SSOWeb
import Storage

/// Offers a passkey after a sign-in by email or with a provider: where the device can keep one, to a user without one, and once
/// in 30 days per browser. Who came with an invitation is asked in any case.
struct PasskeyOffer: SignInOffer {
    private static let pause: Duration = .days(30)

    let accounts: AccountStore
    private let cookie: BrowserCookie

    init(accounts: AccountStore, origin: PublicOrigin) {
        self.accounts = accounts
        cookie = BrowserCookie(name: "idp_passkey_offer", origin: origin, maximumAge: Self.pause)
    }

    func path(
        after done: CompletedSignIn, by identity: ProvenIdentity, flow: FlowID?, _ request: Request
    ) async throws -> String? {
        if case .passkey = identity { return nil }
        // Who comes to add one needs no offer.
        if done.session[Flows.self].flow(flow)?.purpose == PasskeyAddPurpose.id { return nil }
        let isInvited = Self.isInvited(flow, done.session)
        guard done.session[BrowserAbilities.self].hasPlatformAuthenticator,
            isInvited || cookie.value(in: request) == nil
        else { return nil }
        let hasOne = try await accounts.database.read { try PasskeyStore.has(done.account.id, $0) }
        return hasOne ? nil : FlowID.path(PasskeyPath.offer, flow)
    }

    static func isInvited(_ flow: FlowID?, _ session: Session) -> Bool {
        session[Flows.self].flow(flow)?.purpose == InvitationPurpose.id
    }

    /// The page is shown once in a while.
    func note(in response: inout Response) { cookie.set("1", in: &response) }
}
