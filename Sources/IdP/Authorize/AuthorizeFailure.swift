import HTTPTypes
import SSOShared
import SSOWeb

/// What can go wrong on the way through the IdP, in words for the person in front of it.
enum AuthorizeFailure {
    /// The client or its address is not registered. No redirect, and no link to that address.
    static let unknownPartner = PublicError(
        .badRequest, code: "unknown_partner", title: "This service is not known here",
        explanation: "The link that brought you here names a service, or an address of it, that is not registered. "
            + "If you followed a link from a service you use, tell its people.",
        cause: "unknown client, or a redirect URI that is not registered for it")

    /// Not opened by a person as a page of its own.
    static let notAPage = PublicError(
        .badRequest, code: "not_a_page", title: "Open this page by itself",
        explanation: "Signing in works only in a page of its own, not inside another one and not ahead of a click.",
        cause: "Sec-Fetch or Sec-Purpose names a frame, a part of a page or a prefetch")

    /// There is nothing to go on with: nothing of that name ever waited in this browser, or so long ago that nobody
    /// remembers.
    static let noSuchFlow = PublicError(
        .notFound, code: "no_such_flow", title: "There is no sign-in waiting",
        explanation:
            "It is finished already, or it began in another browser. Start again at the service you came from.",
        nextStep: .init(label: "Go to your start page", href: "/"))

    /// It waits no longer, whatever ended it: one way back for all of them.
    static func over(_ past: PendingFlows.Past, _ client: PartnerClient?) -> PublicError {
        let name = client?.name ?? "the service"
        // An app has no page to begin on: its maker's web address will do, if there is one.
        let start = client?.startPage(for: past.redirectURI) ?? client?.startPage()
        return PublicError(
            .gone, code: "flow_over", title: "This sign-in is over",
            explanation: "The request of \(name) is finished already, or it waited too long: more than ten minutes, or "
                + "behind eight newer ones. To sign in there, start again there: it takes one click.",
            nextStep: start.map { .init(label: "Start again at \(name)", href: $0) }
                ?? .init(label: "Go to your start page", href: "/"))
    }
}
