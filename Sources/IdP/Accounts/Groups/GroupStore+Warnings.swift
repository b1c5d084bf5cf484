package import IdPClients
import SSOShared
package import Storage

extension GroupStore {
    /// A sentence for each group that a client names and nobody has made: a spelling mistake must not stay unnoticed.
    package static func warnings(
        about clients: [Client], _ connection: any SQLConnection
    ) throws -> [String] {
        guard clients.contains(where: \.namesGroups) else { return [] }
        let made = try all(connection).map(\.id)
        var warnings: [String] = []
        for client in clients {
            var allowed: [String] = []
            if case .groups(let groups) = client.access { allowed = groups }
            for group in allowed where !made.contains(group) {
                warnings.append(unmade(group, "the client \(client.id) lets in", made))
            }
            for group in client.exposedGroups ?? [] where !made.contains(group) && !allowed.contains(group) {
                warnings.append(unmade(group, "the client \(client.id) is told of", made))
            }
        }
        return warnings
    }

    private static func unmade(_ group: String, _ words: String, _ made: [String]) -> String {
        "\(words) the group \(group), which nobody has made, so it has no members.\(SpellingSuggestion.question(group, among: made)) Make it: idp group add \(group)"
    }
}
