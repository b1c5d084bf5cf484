import SSOShared
import SSOWeb

/// The id of a waiting SSO request as it stands in links and forms. Names a place in the visitor's own session, so it
/// is no secret and opens nothing by itself.
struct FlowID: Sendable {
    let text: String

    /// Nil for anything that has not the shape of an id made here.
    init?(_ text: String) {
        guard Base64URL.decode(text)?.count == 16 else { return nil }
        self.text = text
    }

    static func read(_ fields: URLEncodedFields) -> FlowID? {
        ((try? fields.text("flow")) ?? nil).flatMap(FlowID.init)
    }

    /// `path`, with the flow if there is one.
    static func path(_ path: String, _ flow: FlowID?) -> String { flow.map { "\(path)?flow=\($0.text)" } ?? path }
}
