import SSOShared
package import SSOWeb

/// The session slot of changes to an account that wait until the user has signed in again, and until the user then presses
/// the button of a page. It does nothing by itself.
///
/// The id of a change is a ``FlowID``, so that every page of every sign-in method carries it as `flow` and knows nothing of
/// identities.
package struct PendingAccountChanges: SessionSlot {
    package static let key = "accountChanges"
    /// The sign-in that a change waits for keeps it. Only its own account can carry it out.
    package static let survivesSignIn = true
    /// As long as the code in the email is valid.
    static let lifetime: Duration = .minutes(10)
    /// How old the sign-in of a user who changes something may be (ASVS 7.5.1).
    package static let longestSignIn: Duration = .minutes(10)
    /// Beyond that the oldest is forgotten.
    static let maximumCount = 8

    package enum Action: Codable, Sendable, Equatable {
        /// The id of a provider.
        case link(provider: String)
        /// The name of an identity in forms.
        case unlink(identity: String)
    }

    package struct Change: Codable, Sendable {
        let id: String
        package let accountID: String
        package let action: Action
        let begunAt: Timestamp

        /// The moment that the sign-in must not be older than.
        var signInSince: Timestamp { begunAt - PendingAccountChanges.longestSignIn }
    }

    /// Newest last.
    private var changes: [Change] = []

    package init() {}

    /// Adds a change. Beyond eight the oldest is forgotten.
    package mutating func add(_ action: Action, id: FlowID, accountID: String, now: Timestamp) {
        changes.append(Change(id: id.text, accountID: accountID, action: action, begunAt: now))
        changes = changes.suffix(Self.maximumCount)
    }

    /// Whether there is or was such a change.
    package func contains(_ id: FlowID) -> Bool { change(id) != nil }

    /// The change while it waits; nil for one that is too old, or that never was. One from the future was begun while the
    /// clock was wrong.
    package func pending(_ id: FlowID, now: Timestamp) -> Change? {
        change(id).flatMap {
            now - $0.begunAt < Self.lifetime && $0.begunAt <= now + ClockSkew.tolerated ? $0 : nil
        }
    }

    /// Ends a change. Of any number of callers exactly one gets it.
    package mutating func take(_ id: FlowID, now: Timestamp) -> Change? {
        let change = pending(id, now: now)
        changes.removeAll { $0.has(id) }
        return change
    }

    /// The moment that the sign-in for a change must not be older than; nil for a flow that is not one.
    func signInSince(_ id: FlowID?) -> Timestamp? { id.flatMap(change)?.signInSince }

    private func change(_ id: FlowID) -> Change? { changes.first { $0.has(id) } }
}

extension PendingAccountChanges.Change {
    fileprivate func has(_ id: FlowID) -> Bool { self.id.utf8.elementsEqual(id.text.utf8) }
}
