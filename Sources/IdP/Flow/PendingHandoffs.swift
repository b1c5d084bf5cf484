package import Hummingbird
package import IdPDirectory
import SSOShared
package import SSOWeb

/// The session slot of pending handoffs: the sign-ins of an app that this browser was asked for. It binds a handoff to the
/// browser; the row of the handoff says everything else.
///
/// The id of a handoff is a ``FlowID``, so that every page of every sign-in method carries it as `flow` and knows nothing of
/// apps.
package struct PendingHandoffs: SessionSlot {
    package static let key = "handoffs"
    package static let survivesSignIn = true
    /// No user signs in to more apps at once. Beyond that the oldest is forgotten.
    static let maximumCount = 8

    private struct Entry: Codable {
        let id: String
        let app: String

        func has(_ id: FlowID) -> Bool { self.id.utf8.elementsEqual(id.text.utf8) }
    }

    /// Newest last.
    private var entries: [Entry] = []

    package init() {}

    package func contains(_ id: FlowID) -> Bool { entries.contains { $0.has(id) } }

    /// What users see of the app that asked; nil for a flow that is not a pending handoff.
    package func app(_ id: FlowID) -> String? { entries.first { $0.has(id) }?.app }

    /// Adds a handoff. Beyond eight the oldest is forgotten.
    ///
    /// - Parameter app: what users see of the app that asked.
    /// - Returns: the ids that were forgotten.
    @discardableResult
    package mutating func add(_ id: FlowID, app: String) -> [FlowID] {
        entries.append(Entry(id: id.text, app: app))
        let forgotten = entries.dropLast(Self.maximumCount).compactMap { FlowID($0.id) }
        entries = entries.suffix(Self.maximumCount)
        return forgotten
    }

    /// - Returns: whether it was pending.
    package mutating func remove(_ id: FlowID) -> Bool {
        let before = entries.count
        entries.removeAll { $0.has(id) }
        return entries.count < before
    }
}

extension Session {
    /// The flow if it belongs to this session: a client's, pending or ended, an app's, or a change to the account. Nil for
    /// any other.
    package func known(_ flow: FlowID?) -> FlowID? {
        flow.flatMap {
            self[PendingFlows.self].ended($0.text) != nil || self[PendingHandoffs.self].contains($0)
                || self[PendingAccountChanges.self].contains($0) ? $0 : nil
        }
    }
}

/// The start of a sign-in for an app: `/auth/native/NAME`.
package struct NativeStart: Sendable {
    package static let prefix = "/auth/native/"

    /// The last part of the path: `email`, or the id of a provider.
    package let name: String
    /// Takes the browser to the method's first page for a handoff of this session.
    package let begin: @Sendable (FlowID, Session, Request, VisitorContext) async throws -> Response

    package init(
        name: String, begin: @escaping @Sendable (FlowID, Session, Request, VisitorContext) async throws -> Response
    ) {
        (self.name, self.begin) = (name, begin)
    }
}

/// Where a sign-in leads.
package enum FlowDestination {
    /// On the IdP: ends a handoff with the code for the app.
    package static let handoff = "/auth/native/complete"
    /// On the IdP: asks whether to carry out a change to the account.
    package static let accountChange = "/identities/confirm"
    /// On the IdP: the page by which an app recognises that its web view is signed in.
    package static let resetApp = NativePath.resetApp

    /// The path for a user who is signed in.
    ///
    /// - Parameters:
    ///   - flow: what the sign-in was for; nil if the user came to sign in only.
    ///   - isNativeShell: whether the sign-in took place in the web view of an app.
    package static func path(_ flow: FlowID?, in slots: SessionSlots, isNativeShell: Bool) -> String {
        guard let flow else { return isNativeShell ? resetApp : "/" }
        if slots[PendingAccountChanges.self].contains(flow) { return FlowID.path(accountChange, flow) }
        return FlowID.path(slots[PendingHandoffs.self].contains(flow) ? handoff : SSOPath.complete, flow)
    }
}
