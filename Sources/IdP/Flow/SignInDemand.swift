package import SSOWeb

/// How new the sign-in for a flow must be, whatever the flow is for: a client's request, or a change to the account.
extension SessionSlots {
    /// The moment that the sign-in for a flow must not be older than; nil when any will do.
    package func signInSince(_ flow: FlowID?) -> Timestamp? {
        self[PendingFlows.self].signInSince(flow) ?? self[PendingAccountChanges.self].signInSince(flow)
    }

    /// Whether not every sign-in will do for a flow.
    package func needsNewSignIn(_ flow: FlowID?) -> Bool { signInSince(flow) != nil }

    /// Whether a pending flow asks a user who is signed in to sign in again.
    ///
    /// - Parameter provenAt: when the user was authenticated; nil for a moment that is not proven, which is too old.
    package func asksAgain(_ flow: FlowID?, after provenAt: Timestamp?, now: Timestamp) -> Bool {
        guard let flow, let since = signInSince(flow), provenAt.map({ $0 < since }) ?? true else { return false }
        return self[PendingFlows.self].pending(flow.text, now: now) != nil
            || self[PendingAccountChanges.self].pending(flow, now: now) != nil
    }
}
