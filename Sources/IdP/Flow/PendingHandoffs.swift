import SSOShared
import SSOWeb

/// The session slot of pending handoffs: the sign-ins of an app that this browser was asked for. It binds a handoff to the
/// browser; the row of the handoff says everything else.
///
/// The id of a handoff is a ``FlowID``, so that every page of every sign-in method carries it as `flow` and knows nothing of
/// apps.
struct PendingHandoffs: SessionSlot {
    static let key = "handoffs"
    static let survivesSignIn = true
    /// No user signs in to more apps at once. Beyond that the oldest is forgotten.
    static let maximumCount = 8

    /// Newest last.
    private var ids: [String] = []

    init() {}

    func contains(_ id: FlowID) -> Bool { ids.contains { $0.utf8.elementsEqual(id.text.utf8) } }

    mutating func add(_ id: FlowID) { ids = Array((ids + [id.text]).suffix(Self.maximumCount)) }

    /// - Returns: whether it was pending.
    mutating func remove(_ id: FlowID) -> Bool {
        let before = ids.count
        ids.removeAll { $0.utf8.elementsEqual(id.text.utf8) }
        return ids.count < before
    }
}

/// Where a sign-in leads.
enum FlowDestination {
    /// On the IdP: ends a handoff with the code for the app.
    static let handoff = "/auth/native/complete"
    /// On the IdP: the page by which an app recognises that its web view is signed in.
    static let resetApp = NativePath.resetApp

    /// The path for a user who is signed in.
    ///
    /// - Parameters:
    ///   - flow: what the sign-in was for; nil if the user came to sign in only.
    ///   - isNativeShell: whether the sign-in took place in the web view of an app.
    static func path(_ flow: FlowID?, in slots: SessionSlots, isNativeShell: Bool) -> String {
        guard let flow else { return isNativeShell ? resetApp : "/" }
        return FlowID.path(slots[PendingHandoffs.self].contains(flow) ? handoff : SSOPath.complete, flow)
    }
}
