import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import IdPProviders
import SSOShared
import SSOWeb
import Storage

/// `POST /identities/link`: a button of the home page that adds a provider. Its answer adds the identity.
struct ProviderLink: IdentityChange {
    struct Asked: Codable, Sendable {
        /// The id of a provider.
        let provider: String
    }

    static let id = "link"
    static let path = "/identities/link"

    let providers: ProviderRegistry
    /// ``AccountPagesFeature/BeginAddition``.
    let begin: @Sendable (Provider, String, Session, VisitorContext, SignInCompletion) async throws -> Response

    func asked(in fields: URLEncodedFields) throws -> Asked {
        guard let id = try fields.text("provider") else { throw PublicError.notFound }
        return Asked(provider: try provider(id).id)
    }

    func page(of asked: Asked, for user: SignedInUser, _ connection: any SQLConnection) -> ChangePage? {
        providers.provider(id: asked.provider).map {
            page(Text("identities.add"), Text("identities.confirm-link"), $0.name, user)
        }
    }

    func carryOut(_ asked: Asked, for user: SignedInUser, _ context: VisitorContext) throws -> ChangeStep {
        let provider = try provider(asked.provider)
        return .elsewhere { try await begin(provider, user.account.id, user.session, context, $0) }
    }

    private func provider(_ id: String) throws -> Provider {
        guard let provider = providers.provider(id: id) else { throw PublicError.notFound }
        return provider
    }
}
