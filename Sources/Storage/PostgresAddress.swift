/// Where a PostgreSQL database is, and how to connect to it. Made from a setting by the target `PostgresStorage`.
///
/// Prints without the password, and not at all when a part may be half of a password: see ``Part``.
public struct PostgresAddress: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The keywords of libpq with their values.
    package let parameters: [String: String]

    /// How many connections read. One more writes.
    package var readers: Int

    /// What an operator should know about the address: settings of it that take a defence away.
    public let warnings: [String]

    package init(parameters: [String: String], readers: Int, warnings: [String] = []) {
        (self.parameters, self.readers, self.warnings) = (parameters, readers, warnings)
    }

    /// `postgres://idp@one.internal:5432,two.internal/idp`, without password and options.
    public var description: String {
        guard Self.misfit(of: parameters) == nil else { return "postgres://…" }
        let hosts =
            Self.list(parameters["host"]).isEmpty ? Self.list(parameters["hostaddr"]) : Self.list(parameters["host"])
        let ports = Self.list(parameters["port"])
        let places = hosts.enumerated().map { index, host in
            let port = ports.count == 1 ? ports.first : index < ports.count ? ports[index] : nil
            let name = host.contains(":") ? "[\(host)]" : host
            return port.map { $0.isEmpty ? name : "\(name):\($0)" } ?? name
        }
        let user = parameters["user"].map { "\($0)@" } ?? ""
        return "postgres://\(user)\(places.joined(separator: ","))/\(parameters["dbname"] ?? "")"
    }

    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["place": description]) }

    private static func list(_ text: String?) -> [String] {
        text.map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) } ?? []
    }
}
