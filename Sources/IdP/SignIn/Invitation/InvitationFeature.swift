package import Hummingbird
import IdPAccounts
package import IdPAuthorization
import IdPClients
package import IdPFlow
package import IdPMail
package import SSOWeb

/// Invitations: their emails, and the way from an email to the first sign-in.
package struct InvitationFeature: Feature {
    /// Begins a sign-in by email.
    package typealias SubmitAddress = @Sendable (SubmittedAddress) async throws -> Response?

    private let parts: SharedParts
    private let completionPage: CompletionPage
    private let invitations: InvitationStore
    private let submitAddress: @Sendable (SignInCompletion) -> SubmitAddress?

    /// - Parameter page: for a visitor who is signed in and goes on to the client of the invitation.
    package init(
        _ parts: SharedParts, _ page: CompletionPage,
        submitAddress: @escaping @Sendable (SignInCompletion) -> SubmitAddress?
    ) {
        (self.parts, completionPage, self.submitAddress) = (parts, page, submitAddress)
        invitations = InvitationStore(database: parts.database, clock: parts.clock, eligibility: parts.eligibility)
    }

    package var purposes: [any FlowPurpose] { [purpose] }

    package var mail: [any MailTemplate] {
        [
            InvitationEmail(
                invitations: invitations, keys: InvitationKeys(parts.keys),
                clientName: { [clients = parts.clients] in clients.client(id: $0)?.name }, pages: parts.pages,
                issuer: parts.origin)
        ]
    }

    package var appPaths: [PathConfiguration.Rule] { [.tree(InvitationRoutes.path, .modal)] }

    package var purges: [PurgeService.Purge] { [invitations.purge] }

    package func addRoutes(
        to router: inout FeatureRouter, _ completion: SignInCompletion, _ methods: [any SignInMethod]
    ) {
        purpose.addRoutes(to: &router)
        InvitationRoutes(parts, invitations, submitAddress: submitAddress(completion)).addRoutes(to: &router)
    }

    private var purpose: InvitationPurpose {
        InvitationPurpose(
            sessions: parts.sessions, accounts: parts.accounts, clients: parts.clients, page: completionPage)
    }
}
