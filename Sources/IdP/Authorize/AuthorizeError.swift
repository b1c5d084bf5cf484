import HTTPTypes
import SSOShared
import SSOWeb

/// What can go wrong with an authorize request, in words for the user.
enum AuthorizeError {
    /// The client or its redirect URI is not registered. The page neither redirects nor links there.
    static let unknownClient = PublicError(
        .badRequest, code: "unknown_partner", title: "This service is not registered here",
        explanation:
            "The link that brought you here names a service, or an address of a service, that is not registered. "
            + "If you followed a link from a service you use, tell its support.",
        cause: "unknown client, or a redirect URI that is not registered for it")

    /// The request is not a page of its own, opened by the user.
    static let notAPage = PublicError(
        .badRequest, code: "not_a_page", title: "Open this page by itself",
        explanation: "Signing in works only in a page of its own, not inside another page.",
        cause: "Sec-Fetch or Sec-Purpose names a frame, a part of a page or a prefetch")

    /// There never was such a flow in this browser, or it ended long ago.
    static let noSuchFlow = PublicError(
        .notFound, code: "no_such_flow", title: "There is no sign-in to continue",
        explanation:
            "It has finished already, or it began in another browser. Start again at the service you came from.",
        nextStep: .init(label: "Go to your start page", href: "/"))

    /// The flow has ended, for any reason: one next step for all of them.
    static func ended(_ flow: PendingFlows.EndedFlow, _ client: Client?) -> PublicError {
        let name = client?.name ?? "the service"
        // An app has no page to start on. The web address of its client is used, if there is one.
        let start = client?.startPage(for: flow.redirectURI) ?? client?.startPage()
        return PublicError(
            .gone, code: "flow_over", title: "This sign-in has expired",
            explanation:
                "The sign-in to \(name) has finished already, or it took longer than ten minutes, or eight newer "
                + "ones were started. To sign in to \(name), start again there.",
            nextStep: start.map { .init(label: "Start again at \(name)", href: $0) }
                ?? .init(label: "Go to your start page", href: "/"))
    }
}
