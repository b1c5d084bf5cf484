import Foundation
import HTTPTypes
import IdPAccounts
package import SSOShared
package import SSOWeb

/// The purpose of every flow that is a change: it waits until its user has signed in again, and then presses the button of a page.
/// It does nothing by itself.
package struct ChangePurpose: OwnPagePurpose {
    package static let id = "account_change"
    /// Asks whether to make a change that has waited. Every change has it since the first one, which was of an identity.
    static let path = "/identities/confirm"

    package let sessions: Sessions
    let changes: [any WaitingChange]

    package init(_ changes: [any WaitingChange], _ sessions: Sessions) {
        (self.changes, self.sessions) = (changes, sessions)
    }

    package let resumePath = ChangePurpose.path

    package func texts(of flow: Flow, again email: String?) -> FlowTexts {
        guard let email, let change = change(of: flow) else { return FlowTexts() }
        return FlowTexts(
            again: change.signInAgain(as: email),
            cancel: .init(label: Text("identities.cancel"), href: type(of: change).home))
    }

    package func home(of flow: Flow) -> String { change(of: flow).map { type(of: $0).home } ?? "/" }

    package func over(_ flow: EndedFlow) -> PublicError { ChangeError.ended }

    private func change(of flow: Flow) -> (any WaitingChange)? { changes.first { $0.isWaiting(in: flow) } }
}

extension WaitingChange {
    /// The flow in which the change waits. Its subject is the account, and its payload has one member: the id of the change.
    func flow(
        _ asked: Asked, of accountID: String, needing need: Proof.Need = Self.needs, now: Timestamp
    ) throws -> Flow.Request {
        let strength = need.strength
        return Flow.Request(
            purpose: ChangePurpose.id, subject: accountID,
            demand: Flow.Demand(since: need.since(now), strength: strength == .any ? nil : strength),
            payload: String(decoding: try JSONEncoder().encode([Self.id: asked]), as: UTF8.self))
    }

    /// What was asked for. Nil for the flow of another change, or of another purpose.
    func asked(in flow: Flow) -> Asked? {
        guard flow.purpose == ChangePurpose.id else { return nil }
        return (try? JSONDecoder().decode([String: Asked].self, from: Data(flow.payload.utf8)))?[Self.id]
    }

    func isWaiting(in flow: Flow) -> Bool { asked(in: flow) != nil }
}

extension Flows {
    /// The flow of a change that waits. One from the future was begun while the clock was wrong.
    func waitingChange(_ id: FlowID, now: Timestamp) -> Flow? {
        pending(id, now: now).flatMap {
            $0.purpose == ChangePurpose.id && $0.begunAt <= now + ClockSkew.tolerated ? $0 : nil
        }
    }

    /// The newest pending flow of a client, or of a page for this account, that needs a stronger sign-in. A change of the account
    /// itself needs no more than the account has.
    package func demanding(moreThan strength: Strength, of account: String, now: Timestamp) -> FlowID? {
        all.last {
            ($0.demand.strength ?? .any) > strength && pending($0.id, now: now) != nil
                && (!$0.returnTo.isEmpty || $0.subject == account && $0.purpose != ChangePurpose.id)
        }?.id
    }

    /// Ends a change. Of any number of callers exactly one gets it.
    mutating func takeChange(_ id: FlowID, now: Timestamp) -> Flow? {
        waitingChange(id, now: now) == nil ? nil : take(id, now: now)
    }
}

/// Why a change is not made.
enum ChangeError {
    /// It has waited for too long, was made, or belongs to another browser.
    static let ended = PublicError(
        .gone, code: "change_ended", title: Text("error.change-ended.title"), explanation: Text("error.change-ended"),
        cause: "account_change_not_pending")

    /// The user has signed in to another account than the one to be changed.
    static let otherAccount = PublicError(
        .conflict, code: "other_account", title: Text("error.other-account.title"),
        explanation: Text("error.other-account"), cause: "account_change_of_other_account")
}
