import Hummingbird
import IdPAccounts
import SSOShared
import SSOWeb
import Storage

extension SignInCompletion {
    /// The page that comes before what a sign-in was for; nil where there is nothing to offer.
    func offer(
        after done: CompletedSignIn, _ proven: ProvenSignIn, _ request: Request
    ) async throws -> String? {
        for offer in offers {
            let path = try await offer.path(after: done, by: proven.identity, flow: proven.flow, request)
            if let path { return path }
        }
        return nil
    }

    /// Makes a browser known for the account's address by a proof that is no email, and tells the owner of a sign-in in one that
    /// was not: an email that reads of it is the only way to learn of a stolen key.
    func noteBrowser(
        of identity: ProvenIdentity, _ match: AccountMatch, _ claims: [KnownBrowserCookie.Claim],
        by origin: ChangeOrigin, _ outcome: inout SignInOutcome, _ connection: any SQLConnection
    ) throws {
        let change: AccountChange
        switch identity {
        case .passkey: change = .signedInByPasskey
        case .external(let external): change = .signedInByProvider(provider: external.provider)
        case .email, .printedLink: return
        }
        guard let address = try? EmailAddress(match.account.email) else { return }
        let known = try knownBrowsers.store.find(claims, for: address, connection)
        outcome.known = try knownBrowsers.store.remember(address, known: known, connection)
        guard known == nil, !match.isNew else { return }
        try changes.report(change, of: match.account, by: origin, connection)
    }
}
