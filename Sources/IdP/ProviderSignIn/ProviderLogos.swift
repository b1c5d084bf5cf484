import HTTPTypes
import Hummingbird
import IdPClients
import IdPProviders
import SSOWeb

/// The logos that the providers file names, each at a path with a hash of its content.
struct ProviderLogos: Sendable {
    static let route = "\(Provider.logoPrefix):file"

    let providers: ProviderRegistry

    @Sendable func serve(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let path = Provider.logoPrefix + (context.parameters.get("file") ?? "")
        guard let logo = providers.all.first(where: { $0.logoPath == path })?.logo else { throw PublicError.notFound }
        return logo.response
    }
}
