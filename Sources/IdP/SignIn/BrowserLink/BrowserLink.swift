import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import Logging
package import SSOShared
package import SSOWeb
import Storage

/// The link that makes a browser known for an address, `/sign-in/browser/KEY`. It signs nobody in.
///
/// ``BrowserLinkMail`` brings it to an address under attack: a flood of requests that uses up the budgets of an address gives
/// its owner the way around them.
package struct BrowserLink: Sendable {
    static let path = SignInPath.browser
    /// Longer than the day that budgets count, so that the newest email always has a link that works.
    static let lifetime: Duration = .hours(48)

    /// What a link proves: its holder can read the mailbox of the address.
    struct Opened: Sendable {
        let address: EmailAddress
        /// The id of one known browser for each email. Opened in a second browser, the link moves the id there.
        let browserID: String
    }

    private let box: SealedBox
    private let origin: PublicOrigin

    package init(keys: DerivedKeys, origin: PublicOrigin, randomness: any Randomness) {
        box = SealedBox(keys: keys, label: "device-link", randomness: randomness)
        self.origin = origin
    }

    /// The whole address of the link for an email.
    func url(for challenge: Challenge, now: Timestamp) throws -> String {
        let expires = (now + Self.lifetime).milliseconds
        let device = SHA256.hash(Array("device:\(challenge.id)".utf8)).prefix(KnownBrowserCookie.Claim.idBytes)
        let plain =
            (0..<8).map { UInt8(truncatingIfNeeded: expires >> ($0 * 8)) } + device + Array(challenge.address.utf8)
        return "\(origin.text)\(Self.path)/\(Base64URL.encode(try box.seal(plain)))"
    }

    /// What the key of a link proves; nil for a key that was not made here or has expired.
    func open(_ key: String, now: Timestamp) -> Opened? {
        guard key.utf8.count <= 1024, let sealed = Base64URL.decode(key), let plain = box.open(sealed),
            plain.count > 8 + KnownBrowserCookie.Claim.idBytes
        else { return nil }
        let expires = plain.prefix(8).enumerated().reduce(Int64(0)) { $0 | Int64($1.element) << ($1.offset * 8) }
        guard Timestamp(milliseconds: expires) > now,
            let text = String(validating: plain.dropFirst(8 + KnownBrowserCookie.Claim.idBytes), as: UTF8.self),
            let address = try? EmailAddress(text)
        else { return nil }
        return Opened(
            address: address,
            browserID: Base64URL.encode(Array(plain.dropFirst(8).prefix(KnownBrowserCookie.Claim.idBytes))))
    }
}

/// The page of a ``BrowserLink``: GET shows a button and changes nothing, so mail scanners may fetch it; POST makes this
/// browser known.
struct BrowserLinkRoutes: Sendable {
    let sessions: Sessions
    let knownBrowsers: KnownBrowsers
    let link: BrowserLink
    let challenges: ChallengeStore
    /// Holds the key of a link on its way from the URL to the page.
    let cookie: BrowserCookie
    let pages: Pages
    let clock: ServiceClock

    struct Model: Encodable, Sendable {
        let formToken, browser, address: String
    }

    func addRoutes(to router: inout FeatureRouter) {
        router.page(at: "\(BrowserLink.path)/:key", hasToken: true) { _, context in
            let key = context.parameters.get("key") ?? ""
            return cookie.taking(link.open(key, now: clock.now()) == nil ? nil : key, to: BrowserLink.path)
        }
        let form = Form(
            about: { post in .open(try opened(post.request)) },
            orElse: { _ in .init(label: Text("error.try-again"), href: BrowserLink.path) }, submit: submit)
        router.form(at: BrowserLink.path, show: show, form)
    }

    /// - Throws: ``PublicError`` 410 for a link that does not work, and for a browser without one.
    private func opened(_ request: Request) throws -> BrowserLink.Opened {
        guard let key = cookie.value(in: request), let opened = link.open(String(key), now: clock.now()) else {
            throw Self.expired
        }
        return opened
    }

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let opened = try opened(request)
        let session = try await sessions.current(request, context)
        var response = pages.response(
            "browser-link",
            // A link of another user's email names another address: that user could follow it with a link that signs in.
            Model(
                formToken: sessions.formToken(for: session), browser: opened.browserID, address: opened.address.masked),
            for: request, offersLanguages: true)
        sessions.remember(session, in: &response)
        return response
    }

    @Sendable private func submit(_ form: SubmittedForm, _ opened: BrowserLink.Opened) async throws -> Response {
        // Another tab has opened another link since. The button does what its own page says.
        guard try form.fields.text("browser") == opened.browserID else { return .redirect(to: BrowserLink.path) }
        let session = form.session
        let held = session[BrowserChallenges.self].current.flatMap { held in
            (try? EmailAddress(held.address))?.mailbox == opened.address.mailbox ? held : nil
        }
        // The sign-in that the email was sent for goes on, and not another one of this browser.
        let flow = held.map { $0.flow.flatMap(FlowID.init) } ?? session[Flows.self].newest(now: clock.now())
        let logFlow = session[Flows.self].logID(flow)
        let claim = try await knownBrowsers.store.database.write { connection in
            let claim = try knownBrowsers.store.remember(
                opened.address, known: opened.browserID, keepsPrevious: false, connection)
            // The code that this browser waits for counts against its own budget from now on.
            if let held { try challenges.adopt(held.id, device: claim.name, connection) }
            try form.context.record(
                Event(.browserKnown, session: session.handle, flow: logFlow, ["device": "\(claim.name)"]), connection)
            return claim
        }
        var response = Response.redirect(to: FlowID.path(held == nil ? SignInPath.signIn : SignInPath.code, flow))
        knownBrowsers.give(claim, form.request, in: &response)
        return response
    }

    private static let expired = PublicError(
        .gone, code: "link_expired", title: Text("error.link-expired.title"), explanation: Text("error.link-expired"),
        nextStep: .init(label: Text("sign-in.title"), href: SignInPath.signIn), cause: "device_link_expired_or_damaged")
}
