package import SSOWeb

/// The paths of the clients' logos, each with a hash of its content.
package struct ClientLogos: Sendable {
    private let paths: [String: String]

    /// - Parameter assets: made with ``files(of:)``.
    package init(_ clients: ClientRegistry, assets: StaticAssets) {
        paths = Dictionary(
            clients.all.compactMap { client in Self.name(client).map { (client.id, assets.path(of: $0)) } }
        ) { first, _ in first }
    }

    /// The files to serve: the logos by name.
    package static func files(of clients: ClientRegistry) -> [String: [UInt8]] {
        clients.all.reduce(into: [:]) { files, client in
            if let name = name(client), let logo = client.logo { files[name] = logo.content }
        }
    }

    /// The path of a client's logo; empty without one.
    package func path(of client: Client) -> String { paths[client.id] ?? "" }

    private static func name(_ client: Client) -> String? {
        client.logo.map { "client-\(client.id).\($0.kind.rawValue)" }
    }
}
