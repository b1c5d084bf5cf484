import IdPAccounts
import SSOShared

/// The addresses of the admin pages, for the links between them.
enum AdminPath {
    static let home = "/admin"
    static let users = "/admin/users"
    static let services = "/admin/services"
    static let groups = "/admin/groups"
    static let signOuts = "/admin/sign-outs"
    static let audit = "/admin/audit"
    static let trouble = "/admin/trouble"
    static let roles = "/admin/roles"
    static let settings = "/admin/settings"
    /// Rows of one page of any list.
    static let rows = 50

    static func user(_ id: String) -> String { "\(users)/\(PercentCoding.encode(id))" }
    static func user(_ account: Account) -> String { user(account.id) }
    static func service(_ id: String) -> String { "\(services)/\(PercentCoding.encode(id))" }
    static func group(_ id: String) -> String { "\(groups)/\(PercentCoding.encode(id))" }
    static func trouble(_ word: String) -> String { query(trouble, [("word", word)]) }

    /// `path` with those fields that are not empty.
    static func query(_ path: String, _ fields: [(String, String)]) -> String {
        let query = fields.filter { !$0.1.isEmpty }.map { "\($0.0)=\(PercentCoding.encode($0.1))" }
        return query.isEmpty ? path : path + "?" + query.joined(separator: "&")
    }
}
