import IdPDirectory
import SSOWeb
import Storage

extension SettingsReader {
    /// Warns of every group that a client names and nobody has made. Says nothing about a database that cannot be used, or
    /// that a start would change: another check does.
    func checkGroups(of clients: ClientRegistry, in location: DatabaseLocation) async {
        let rules = clients.all.map(ClientGroupRules.init)
        do {
            guard rules.contains(where: \.namesGroups), try await IdPDatabase.exists(location),
                try await IdPDatabase.inspect(location).isEmpty
            else { return }
            let database = try await IdPDatabase.open(
                location, DatabaseOptions.logger)
            let warnings = try? await database.read { try GroupStore.warnings(about: rules, $0) }
            await database.close()
            for warning in warnings ?? [] { warn("clients: \(warning)") }
        } catch {}
    }
}
