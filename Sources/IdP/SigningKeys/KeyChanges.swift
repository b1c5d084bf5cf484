package import IdPClients
import SSOShared
package import SSOWeb
package import Storage

/// Makes a new key of each algorithm that has one.
package struct RotateKeys: OperatorChange {
    private let box: SigningKeyBox
    private let isAtOnce: Bool

    /// - Parameter isAtOnce: whether the new key signs from now on and the one before is removed, as after a leak. Otherwise it is
    ///   published for 24 hours first.
    package init(_ box: SigningKeyBox, isAtOnce: Bool) { (self.box, self.isAtOnce) = (box, isAtOnce) }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<[SigningKey]> {
        let store = SigningKeyStore()
        let keys = try store.all(connection)
        for algorithm in SigningAlgorithm.allCases {
            let own = keys.filter { $0.algorithm == algorithm }
            // The first key of an algorithm is made when it is needed.
            guard let newest = own.last else { continue }
            // Sealed with another key, the new one would be of no use to the running IdP, which signs with it nevertheless.
            guard box.open(newest) != nil else {
                throw ChangeError("IDP_SECRET_KEY does not open the signing keys. Give that of the running IdP.")
            }
            if !isAtOnce, newest.usedFrom > context.now {
                throw ChangeError(
                    "the next \(algorithm.rawValue) key is published and signs from \(PlainDate.rfc3339(newest.usedFrom)). Wait, or use --now after a leak."
                )
            }
            let next = try SigningKey(
                algorithm, generation: newest.generation + 1, box, at: context.now,
                // The clock of the running IdP may be behind, and the old key goes with this change.
                usedFrom: isAtOnce ? Timestamp(milliseconds: 0) : context.now + SigningKeys.published)
            guard try store.insert(next, connection) else {
                throw ChangeError("another process is rotating. Try again.")
            }
            for event in [EventKind.signingKeyMade, .signingKeyPublished] {
                try context.record(next.event(event, by: .program), connection)
            }
            for old in own where isAtOnce { try context.remove(old, connection) }
        }
        let now = try store.all(connection)
        return Changed(now, isChanged: now.map(\.id) != keys.map(\.id))
    }
}

/// Removes one key that does not sign: nobody accepts its tokens any more.
package struct RetireKey: OperatorChange {
    private let id: String

    package init(_ id: String) { self.id = id }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<[SigningKey]> {
        let store = SigningKeyStore()
        let keys = try store.all(connection)
        guard let key = keys.first(where: { $0.id.utf8.elementsEqual(id.utf8) }) else {
            throw ChangeError("there is no key \(id). idp keys list has all.")
        }
        guard key.state(among: keys, at: context.now) != .signs else {
            throw ChangeError("the key \(id) signs. Replace it first with: idp keys rotate --now")
        }
        try context.remove(key, connection)
        return Changed(try store.all(connection), isChanged: true)
    }
}

extension ChangeContext {
    fileprivate func remove(_ key: SigningKey, _ connection: any SQLConnection) throws {
        try SigningKeyStore().delete(key.id, connection)
        try record(key.event(.signingKeyRetired, by: .program), connection)
    }
}

extension SigningKey {
    /// What a key is for. The raw values are in the output of commands.
    package enum State: String, Sendable {
        /// Published, and not used yet.
        case next
        case signs
        /// Its last tokens may still be checked.
        case previous
    }

    package func state(among keys: [SigningKey], at now: Timestamp) -> State {
        guard usedFrom <= now else { return .next }
        let isReplaced = keys.contains {
            $0.algorithm == algorithm && $0.generation > generation && $0.usedFrom <= now
        }
        return isReplaced ? .previous : .signs
    }
}
