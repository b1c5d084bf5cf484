import HTTPTypes
import Hummingbird
package import IdPDirectory
package import IdPFlow
import IdPMail
import SSOShared
import SSOWeb
import Storage

/// The first step of a sign-in by email: an address, for which a challenge begins and an email is queued.
///
/// Pages and the JSON API both take it, so they have the same limits, and run the same statements for every address.
package struct AddressStep: Sendable {
    let challenges: ChallengeStore
    let knownBrowsers: KnownBrowsers
    let limits: SignInLimits

    package init(challenges: ChallengeStore, knownBrowsers: KnownBrowsers, limits: SignInLimits) {
        (self.challenges, self.knownBrowsers, self.limits) = (challenges, knownBrowsers, limits)
    }

    /// An address that was counted and may begin a challenge.
    struct Asked: Sendable {
        let address: EmailAddress
        let requester: EmailRequester
        let device: DeviceKind
        let language: Language
        /// The flow as the log calls it.
        let logFlow: String
    }

    /// Counts a submitted address.
    ///
    /// - Parameter logFlow: the flow that it is for, as the log calls it.
    /// - Returns: nil for text that is not an email address.
    /// - Throws: ``PublicError`` 429 beyond the limits per network.
    func count(_ text: String, _ request: Request, _ context: VisitorContext, logFlow: String) async throws -> Asked? {
        guard let address = try? EmailAddress(text) else {
            try await limits.countEmailPost(request, context, browserID: nil)
            return nil
        }
        let known = try await knownBrowsers.known(request, for: address)
        do { try await limits.countEmailPost(request, context, browserID: known) } catch let error as PublicError {
            CodeEmail.notSent(.networkLimit).log(to: context.logger, address: address, flow: logFlow)
            throw error
        }
        return Asked(
            address: address,
            requester: EmailRequester(browserID: known, network: limits.network(request, context)),
            device: DeviceKind(userAgent: request.headers[.userAgent]), language: .preferred(by: request),
            logFlow: logFlow)
    }

    /// Begins a challenge, or continues the one that is held, in the caller's transaction: no email is sent whose code fits no
    /// browser.
    func begin(
        _ asked: Asked, held: BrowserChallenges.Entry?, flow: FlowID?, service: String?, _ connection: any SQLConnection
    ) throws -> (entry: BrowserChallenges.Entry, email: CodeEmail, expiresAt: Timestamp) {
        try challenges.begin(
            asked.address, held: held, requester: asked.requester, flow: flow?.text, service: service,
            device: asked.device, language: asked.language, connection)
    }
}
