import HTTPTypes
package import Hummingbird
import SSOWeb

/// The logos of the clients, each at a path with a hash of its content. A client that is added while the program runs brings its
/// logo.
package struct ClientLogos: Sendable {
    private static let prefix = "/assets/"
    private let clients: ClientDirectory

    package init(_ clients: ClientDirectory) { self.clients = clients }

    /// The path of a client's logo; empty without one.
    package func path(of client: Client) -> String { Self.file(client).map { Self.prefix + $0 } ?? "" }

    /// ``LogoFile/size`` of a client's logo; nil without one, or where the file does not say.
    package func pixels(of client: Client) -> (width: Int, height: Int)? { client.logo?.size }

    /// ``LogoFile/sizeAttributes`` of a client's logo; empty without one.
    package func size(of client: Client) -> String { client.logo?.sizeAttributes ?? "" }

    /// The path of every logo.
    package static let route = "\(prefix):file"

    /// The logo of a client, as immutable.
    @Sendable package func serve(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let name = context.parameters.get("file") ?? ""
        var logo = logo(named: name)
        if logo == nil, name.hasPrefix(Self.clientPrefix) {
            // Another process may have shown the page.
            await clients.renew(refusing: request, context)
            logo = self.logo(named: name)
        }
        guard let logo else { throw PublicError.notFound }
        return logo.response
    }

    private func logo(named name: String) -> LogoFile? { clients.all.first { Self.file($0) == name }?.logo }

    private static let clientPrefix = "client-"

    private static func file(_ client: Client) -> String? {
        client.logo.map { "\(clientPrefix)\(client.id)-\($0.hash).\($0.kind.rawValue)" }
    }
}
