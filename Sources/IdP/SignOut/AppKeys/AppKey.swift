import IdPClients
package import SSOShared
package import SSOWeb
import Storage

/// The kind of a key for an app behind the gate: `sgk_…`.
package enum AppKeyKind: SecretKind {
    package static let prefix = "sgk_"
}

/// A key for an app, or for a machine, of one service behind the gate. It stands for a sign-in at that service alone.
package struct AppKey: Sendable {
    /// Names the key where it must not appear.
    package let id: String
    package let client: String
    /// Nil for the key of a machine, which belongs to no user.
    package let account: String?
    /// What its user, or an operator, calls it.
    package let name: String
    /// Those of the key of a machine.
    package let groups: [String]
    /// Of the sign-in that made it.
    package let strength: Strength
    package let createdAt, expiresAt: Timestamp
    /// When it was used last, to the minute; nil for never.
    package let usedAt: Timestamp?
    package let usedNetwork: String?

    /// Keys of one account, or of all machines, for one service.
    package static let maximum = 20
    package static let longestName = 60
    /// How many days a key lives whose user says nothing, and what a user may say.
    package static let usualDays = 365
    package static let possibleDays = 1...730

    /// A name as it is stored; nil for one that is empty or longer than ``longestName`` characters, or that has a control character.
    package static func name(_ text: String) -> String? {
        let name = String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        guard !name.isEmpty, name.count <= longestName, name.utf8.count <= 4 * longestName,
            name.unicodeScalars.allSatisfy({ !["Cc", "Cf", "Zl", "Zp"].contains($0.category) })
        else { return nil }
        return name
    }
}

extension Unicode.Scalar {
    /// The general categories that a name on one line cannot have.
    fileprivate var category: String {
        switch properties.generalCategory {
        case .control: "Cc"
        case .format: "Cf"
        case .lineSeparator: "Zl"
        case .paragraphSeparator: "Zp"
        default: ""
        }
    }
}

extension AppKey {
    /// - Parameter row: has the columns of ``AppKeyStore``.
    init(_ row: SQLRow) throws {
        (id, client) = (try row.text("id"), try row.text("client_id"))
        (account, name) = (try row.optionalText("account_id"), try row.text("name"))
        groups = try row.text("group_ids").split(separator: " ").map(String.init)
        strength = Strength(rawValue: try row.text("strength")) ?? .any
        (createdAt, expiresAt) = (try row.timestamp("created_at"), try row.timestamp("expires_at"))
        usedAt = try row.optionalInteger("used_at").map { Timestamp(milliseconds: $0) }
        usedNetwork = try row.optionalText("used_network")
    }
}
