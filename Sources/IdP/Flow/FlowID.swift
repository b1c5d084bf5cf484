import SSOShared
import SSOWeb

/// The id of a flow in links and forms. It names a place in the browser's own session, so it is not a secret.
struct FlowID: Sendable {
    let text: String

    /// Nil for text that does not have the shape of an id made here.
    init?(_ text: String) {
        guard Base64URL.decode(text)?.count == 16 else { return nil }
        self.text = text
    }

    static func read(_ fields: URLEncodedFields) -> FlowID? {
        ((try? fields.text("flow")) ?? nil).flatMap(FlowID.init)
    }

    /// `path` with the flow in its query, if there is one.
    static func path(_ path: String, _ flow: FlowID?) -> String { flow.map { "\(path)?flow=\($0.text)" } ?? path }
}
