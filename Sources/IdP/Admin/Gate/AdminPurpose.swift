import Foundation
package import IdPFlow
import SSOShared
package import SSOWeb

/// The purpose of a flow of the admin pages: its user signs in, and goes on at the page that was asked for, or at the question
/// whether to make a change, with everything that was typed.
package struct AdminPurpose: OwnPagePurpose {
    package static let id = "admin"
    static let path = "/admin/resume"

    package let sessions: Sessions

    package let resumePath = AdminPurpose.path

    package func home(of flow: Flow) -> String { "/admin" }

    package func texts(of flow: Flow, again email: String?) -> FlowTexts {
        FlowTexts(
            intro: Text("admin.flow.intro"), again: email.map { Text("admin.flow.again", ["email": $0]) },
            cancel: .init(label: Text("admin.flow.cancel"), href: flow.id.cancel))
    }
}

/// What waits for a sign-in: a page, or a change with what was typed.
struct AdminWaiting: Codable, Sendable {
    /// Below `/admin`, with its query.
    let path: String
    /// The fields of a form; nil for a page.
    var fields: [String: [String]]?

    /// More bytes than a session keeps for a flow are not kept: the form is then asked for once more.
    static let maximumBytes = 4 * 1024

    func flow(since: Timestamp? = nil, strength: Strength? = nil, account: String = "") throws -> Flow.Request? {
        let payload = String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
        guard payload.utf8.count <= Self.maximumBytes else { return nil }
        return Flow.Request(
            purpose: AdminPurpose.id, subject: account, demand: Flow.Demand(since: since, strength: strength),
            payload: payload)
    }

    /// Nil for a flow of another purpose.
    init?(_ flow: Flow) {
        guard flow.purpose == AdminPurpose.id,
            let waiting = try? JSONDecoder().decode(Self.self, from: Data(flow.payload.utf8)),
            waiting.path == "/admin" || waiting.path.hasPrefix("/admin/") || waiting.path.hasPrefix("/admin?")
        else { return nil }
        self = waiting
    }

    init(path: String, fields: [String: [String]]? = nil) { (self.path, self.fields) = (path, fields) }
}
