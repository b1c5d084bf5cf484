package import IdPClients
package import IdPSignOut
package import SSOShared
import SSOWeb
package import Storage

/// Makes the key of a machine, which belongs to no user.
package struct MakeMachineKey: OperatorChange {
    private let key: Secret<AppKeyKind>
    private let client: String
    private let name: String
    private let groups: [String]
    private let lifetime: Duration

    /// - Parameters:
    ///   - client: behind the gate, with `app_keys: true`, which the caller has looked at.
    ///   - name: as ``AppKey/name(_:)`` gives it.
    package init(
        _ key: Secret<AppKeyKind>, client: String, name: String, groups: [String],
        lifetime: Duration = .days(AppKey.usualDays)
    ) {
        (self.key, self.client, self.name, self.groups, self.lifetime) = (key, client, name, groups, lifetime)
    }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<AppKey> {
        let id = try AppKeyStore.newID(context.randomness)
        let known = try AppKeyStore.keys(at: client, now: context.now, connection).filter { $0.account == nil }
        guard !known.contains(where: { $0.name == name }) else {
            throw ChangeError(
                "the client \(client) has a key \"\(name)\" already. Use another name, or end that one first.")
        }
        let isMade = try AppKeyStore.insert(
            key, id: id, client: client, .machine(groups: groups), name: name, at: context.now,
            expiresAt: context.now + lifetime, connection)
        guard isMade,
            let made = try AppKeyStore.find(key.digest, at: client, now: context.now, connection)
        else {
            throw ChangeError(
                "the client \(client) has \(AppKey.maximum) keys of machines, which is the most. End one with: idp client app-key end \(client) ID"
            )
        }
        try context.record(made.event(.appKeyMade, by: context.actor), connection)
        return Changed(made, isChanged: true)
    }
}

/// Ends a key of a client, that of a user or of a machine.
package struct EndAppKey: OperatorChange {
    private let client, id: String

    package init(_ id: String, of client: String) { (self.id, self.client) = (id, client) }

    /// - Returns: nil if there was none.
    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<AppKey?> {
        guard let ended = try AppKeyStore.end(.ofClient(client, id: id), connection).first else {
            return Changed(nil, isChanged: false)
        }
        try context.record(ended.event(.appKeyEnded, by: context.actor, cause: "operator"), connection)
        return Changed(ended, isChanged: true)
    }
}
