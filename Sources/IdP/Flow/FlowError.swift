import HTTPTypes
package import SSOWeb

/// What can go wrong with a flow, in words for the user.
package enum FlowError {
    /// The request is not a page of its own, opened by the user.
    package static let notAPage = PublicError(
        .badRequest, code: "not_a_page", title: Text("error.not-a-page.title"), explanation: Text("error.not-a-page"),
        cause: "frame_or_prefetch")

    /// There never was such a flow in this browser, or it ended long ago.
    package static let noSuchFlow = PublicError(
        .notFound, code: "no_such_flow", title: Text("error.no-such-flow.title"),
        explanation: Text("error.no-such-flow"))
}
