import IdPClients
import IdPServer
import SSOShared
import SSOWeb

/// How commands print clients.
enum ClientOutput {
    static let header = ["ID", "NAME", "STATE", "ACCESS", "SOURCE", "SECRETS"]

    static func row(_ view: ClientView) -> [String] {
        let client = view.client
        return [
            client.id, client.name, state(view), access(client), source(client),
            view.secrets.map(secret).joined(separator: ", "),
        ]
    }

    static func text(_ view: ClientView) -> String {
        let client = view.client
        let rows: [(String, [String])] =
            [
                ("id", [client.id]), ("name", [client.name]), ("state", [state(view)]), ("access", [access(client)]),
                ("source", [source(client)]), ("redirect_uris", client.redirectURIs),
                ("expose_groups", client.exposedGroups ?? []), ("contact", client.contact.map { [$0] } ?? []),
                ("require", client.require == .any ? [] : [client.require.rawValue]),
            ]
            + shown(client) { $0 == ClientProtocols.builtIn.ids.first }
            + [("protocols", client.protocols.map { type(of: $0).id })]
            + shown(client) { $0 != ClientProtocols.builtIn.ids.first }
            + [
                ("private http", client.allowsPrivateHTTP ? ["allowed"] : []), ("secrets", view.secrets.map(secret)),
            ]
        let lines = rows.flatMap { name, values in
            values.enumerated().map { index, value in
                let label = index == 0 ? name : ""
                return label + String(repeating: " ", count: 15 - label.count) + value
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func shown(_ client: Client, where isShown: (String) -> Bool) -> [(String, [String])] {
        client.protocols.filter { isShown(type(of: $0).id) }.flatMap { $0.shown.map { ($0.name, $0.values) } }
    }

    /// - Parameter first: what comes before the client.
    static func json(_ view: ClientView, _ first: [JSONText.Member] = [], secret: String? = nil) -> String {
        let client = view.client
        let groups = if case .groups(let groups) = client.access { groups } else { [String]() }
        var head = first
        head.append(JSONText.Member("id", client.id))
        head.append(JSONText.Member("name", client.name))
        head.append(JSONText.Member("source", client.origin == .database ? "database" : "file"))
        head.append(JSONText.Member("enabled", view.isEnabled))
        head.append(JSONText.Member("access", groups.isEmpty ? "everyone" : "groups"))
        head.append(JSONText.Member("groups", groups))
        head.append(JSONText.Member("redirect_uris", client.redirectURIs))
        head.append(JSONText.Member("allow_private_http", client.allowsPrivateHTTP))
        if let place = client.origin.place { head.append(.init("place", place)) }
        if let secret { head.append(.init("secret", secret)) }
        // null is not among the values of JSONText.
        let secrets = view.secrets.map { secret in
            let times = [("added_at", secret.addedAt), ("last_used_at", secret.use?.last)].map { name, moment in
                "\(JSONText.string(name)):\(moment.map { JSONText.string(PlainDate.rfc3339($0)) } ?? "null")"
            }
            return "{\"fingerprint\":\(JSONText.string(secret.fingerprint)),\(times.joined(separator: ",")),"
                + "\"state\":\"\(secret.isCurrent ? "current" : "previous")\"}"
        }
        return "\(JSONText.object(head).dropLast()),\"secrets\":[\(secrets.joined(separator: ","))]}"
    }

    private static func state(_ view: ClientView) -> String { view.isEnabled ? "enabled" : "disabled" }

    private static func access(_ client: Client) -> String {
        switch client.access {
        case .unstated, .everyone: "everyone"
        case .groups(let groups): groups.joined(separator: " ")
        }
    }

    private static func source(_ client: Client) -> String { client.origin.place ?? "database" }

    private static func secret(_ secret: ClientView.Secret) -> String {
        // A use is written at most once a minute, so seconds would say what nobody knows.
        let use = secret.use.map { "last used \(PlainDate.rfc3339($0.last).prefix(16))Z" } ?? "not used yet"
        let end = secret.endsAt.map { ", ends \(PlainDate.rfc3339($0))" } ?? ""
        return "\(secret.fingerprint) (\(secret.isCurrent ? "current" : "previous"), \(use)\(end))"
    }
}
