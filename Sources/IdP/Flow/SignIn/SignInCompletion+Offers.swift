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

    /// The address for which the browser becomes known by a proof: its owner has read an email in this browser, or has used a
    /// passkey of its account.
    func mailbox(of identity: ProvenIdentity) async throws -> EmailAddress? {
        switch identity {
        case .email(let address): address
        case .passkey:
            try await accounts.database.read { try AccountStore.find(identity, $0) }
                .flatMap { try? EmailAddress($0.email) }
        case .external, .printedLink: nil
        }
    }
}
