import Foundation
import SSOShared
package import SSOWeb

/// Reads the slots that held flows before there was one slot for all of them, for one release: a user who signs in while the
/// program is updated loses nothing.
extension Flows {
    package static func upgraded(from slots: SessionSlots) -> Flows? {
        let requests = slots.value(OldRequests.self, under: "sso")
        let handoffs = slots.value(OldHandoffs.self, under: "handoffs")
        let changes = slots.value(OldChanges.self, under: "accountChanges")
        guard requests != nil || handoffs != nil || changes != nil else { return nil }
        let all = (requests?.upgraded ?? []) + (handoffs?.upgraded ?? []) + (changes?.upgraded ?? [])
        return Flows(all: all, ended: requests?.ended ?? [])
    }
}

private func encoded(_ value: some Encodable) -> String {
    (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
}

/// Clients' requests.
private struct OldRequests: Decodable {
    struct Pending: Decodable {
        let request: AuthorizeRequest
        let begunAt: Timestamp
        let number: Int
        let signInSince: Timestamp?
        let loginHint: String?
    }

    struct Past: Decodable {
        let id, clientID, redirectURI: String
        let completed: String?
    }

    let flows: [String: Pending]
    let past: [Past]

    var upgraded: [Flow] {
        flows.sorted { $0.value.number < $1.value.number }.compactMap { text, old in
            FlowID(text).map { id in
                let asked = old.request
                let request = Flow.Request(
                    purpose: "sso", subject: asked.clientID, returnTo: asked.redirectURI,
                    demand: Flow.Demand(since: old.signInSince, loginHint: old.loginHint),
                    replayKey: SHA256.hash(Array(asked.state.utf8)),
                    payload: "\(asked.codeChallenge ?? "-") \(asked.state)")
                return Flow(request, id: id, begunAt: old.begunAt)
            }
        }
    }

    var ended: [EndedFlow] {
        past.compactMap { old in
            FlowID(old.id).map { id in
                EndedFlow(
                    id: id, purpose: "sso", subject: old.clientID, returnTo: old.redirectURI,
                    logID: old.completed ?? "-", isCompleted: old.completed != nil)
            }
        }
    }
}

/// Handoffs to apps. Their rows say how old they are.
private struct OldHandoffs: Decodable {
    struct Entry: Decodable { let id, app: String }
    let entries: [Entry]

    var upgraded: [Flow] {
        entries.compactMap { old in
            FlowID(old.id).map {
                Flow(Flow.Request(purpose: "handoff", subject: old.app), id: $0, begunAt: Timestamp(milliseconds: 0))
            }
        }
    }
}

/// Changes to an account.
private struct OldChanges: Decodable {
    enum Action: Codable {
        case link(provider: String)
        case unlink(identity: String)
    }

    struct Change: Decodable {
        let id, accountID: String
        let action: Action
        let begunAt: Timestamp
    }

    let changes: [Change]

    var upgraded: [Flow] {
        changes.compactMap { old in
            FlowID(old.id).map {
                let request = Flow.Request(
                    purpose: "account_change", subject: old.accountID,
                    demand: Flow.Demand(since: old.begunAt - .minutes(10)), payload: encoded(old.action))
                return Flow(request, id: $0, begunAt: old.begunAt)
            }
        }
    }
}
