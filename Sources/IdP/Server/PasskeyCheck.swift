import IdPAccounts
import IdPAdmin
import IdPClients
import IdPFlow
import IdPPasskeys
import SSOShared
import SSOWeb
import Storage

/// Whether the passkeys of the database belong to `IDP_PASSKEY_RP_ID`. They work nowhere else, and no setting may drop them in
/// silence.
enum PasskeyCheck {
    /// What is wrong; nil where every passkey works.
    static func problem(_ values: SettingValues, _ database: any Database) async throws -> String? {
        let relyingParty = try values[PasskeySettings.relyingPartyID]
        let others = try await database.read { try PasskeyStore.others(than: relyingParty, $0) }
        guard !others.isEmpty else { return nil }
        let count = others.reduce(0) { $0 + $1.count }
        let former = others.map(\.relyingParty).joined(separator: ", ")
        return """
            \(PasskeySettings.relyingPartyID.name): is \(relyingParty ?? "off"), and \
            \(count == 1 ? "1 passkey belongs" : "\(count) passkeys belong") to \(former). Passkeys work nowhere else. Set it to \
            \(former), or remove all of them: idp passkeys forget-all --yes
            """
    }
}

extension SettingsReader {
    /// The same for a database file that no program has open.
    func checkPasskeys(_ location: DatabaseLocation, _ values: SettingValues) async {
        let problem = await location.reading { try await PasskeyCheck.problem(values, $0) }
        if let problem = problem.flatMap(\.self) { self.problem(problem) }
    }
}

extension IdPSettings {
    /// A setting that asks for a passkey where browsers make none would keep everybody out.
    static func checkStrength(_ values: SettingValues, _ reader: SettingsReader) {
        guard (try? values[PasskeySettings.relyingPartyID] == nil) ?? false else { return }
        let settings = [FlowSettings.require, AdminSettings.require].filter { ((try? values[$0]) ?? .any) > .any }
        let registered = (try? values[clients])?.clients.all ?? []
        for name in settings.map(\.name) + registered.filter({ $0.require > .any }).map({ "client \($0.id), require" })
        {
            reader.problem(
                "\(name): asks for a passkey, and passkeys are off, because browsers make none for an IP address. Use a domain in "
                    + "\(FlowSettings.publicURL.name), or remove it.")
        }
    }
}
