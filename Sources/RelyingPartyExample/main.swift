import Foundation
import Hummingbird
import SSOClient
import SSOShared
import Synchronization

// A relying party in one file. Accounts, sessions and used states are in memory: keep them in a database.
let environment = ProcessInfo.processInfo.environment
let origin = environment["ORIGIN"] ?? "http://localhost:8082"
let idp = environment["IDP"] ?? "http://localhost:8080"
let idpName = environment["IDP_NAME"] ?? "Main App"
let id = environment["SSO_CLIENT_ID"] ?? "partner"
let secret = try SharedSecret.parse(environment["SSO_SHARED_SECRET"] ?? "", setting: "SSO_SHARED_SECRET")
let keys = try DerivedKeys.parse(environment["SECRET_KEY"] ?? "", setting: "SECRET_KEY")

struct Session: Sendable {
    /// The account's key: `user.id` of the verified answer.
    let account: String
    /// The session at the identity provider: its id, when the user signed in, and how.
    let signIn: VerifiedSession
    let beganAt: Date
    /// What began it and where that led: a reload of the callback goes there again.
    let callback: (fingerprint: String, page: String)
    /// When the identity provider last said that the session there holds.
    var checkedAt: Date
    var endsAt: Date { beganAt + TimeInterval(Memory.sessionSeconds) }
}
final class Memory: Sendable {
    static let sessionSeconds = 43200
    /// Accounts by `user.id`, never by the address, and sessions by the cookie's value.
    private let content = Mutex((accounts: [String: VerifiedUser](), sessions: [String: Session]()))
    private let signOuts = SeenSignOuts()

    func find(_ cookie: String?) -> (session: Session, user: VerifiedUser)? {
        content.withLock { content in
            guard let cookie, let session = content.sessions[cookie], session.endsAt > Date(),
                let user = content.accounts[session.account]
            else { return nil }
            return (session, user)
        }
    }
    /// - Parameter start: before the token was redeemed. A sign-out since then has found no session to end.
    func begin(
        _ reply: VerifyReply, by callback: (fingerprint: String, page: String), cookie: String,
        replacing old: String?, since start: Date
    ) -> Bool {
        content.withLock { content in
            // A user who comes back may have another address or name.
            content.accounts[reply.user.id] = reply.user
            content.sessions = content.sessions.filter { $0.key != old && $0.value.endsAt > Date() }
            content.sessions[cookie] = Session(
                account: reply.user.id, signIn: reply.session, beganAt: Date(), callback: callback, checkedAt: Date())
        }
        guard signOuts.include(user: reply.user.id, session: reply.session.id, since: start) else { return true }
        end(cookie)
        return false
    }
    func end(_ cookie: String) { content.withLock { $0.sessions[cookie] = nil } }

    /// Ends what a message names. One with an id that was seen ends nothing.
    func end(_ message: SignOutMessage) {
        guard signOuts.note(message) else { return }
        content.withLock { content in
            content.sessions = content.sessions.filter { _, session in
                guard session.account == message.user else { return true }
                let isLater = Int(session.beganAt.timeIntervalSince1970) > message.issuedAt
                return message.session.map { $0 != session.signIn.id } ?? isLater
            }
        }
    }
    /// Sets when a session was checked, unless another request has. Of several requests one asks.
    func setChecked(_ cookie: String, from old: Date, to new: Date) -> Bool {
        content.withLock { content in
            guard content.sessions[cookie]?.checkedAt == old else { return false }
            content.sessions[cookie]?.checkedAt = new
            return true
        }
    }
    func update(_ user: VerifiedUser) { content.withLock { $0.accounts[user.id] = user } }
}
let memory = Memory()
let backChannel = try BackChannelClient(
    origin: idp, clientID: id, secret: secret,
    notePreviousSecret: { print("warning: the identity provider has a newer secret than SSO_SHARED_SECRET") })
let client = SignInClient(
    idp: idp, clientID: id, redirectURI: origin + SSOPath.callback, backChannel: backChannel)
let check = SessionCheck(every: .seconds(300), backChannel: backChannel)
let receiver = SignOutReceiver(clientID: id, secret: secret)
let pending = PendingSignInsCookie(keys: keys)
let used = UsedStatesInMemory()

let isSecure = origin.hasPrefix("https://")
let prefix = isSecure ? "__Host-" : ""
func cookie(_ name: String, _ request: Request) -> String? { request.cookies[prefix + name]?.value }
func set(_ name: String, _ value: String, seconds: Int, in response: inout Response) {
    response.setCookie(
        Cookie(name: prefix + name, value: value, maxAge: seconds, path: "/", secure: isSecure, sameSite: .lax))
}
/// The session of a request and its user. Every five minutes of use the identity provider is asked about it.
func signedIn(_ request: Request) async -> (session: Session, user: VerifiedUser)? {
    guard let value = cookie("session", request), let found = memory.find(value) else { return nil }
    let now = Date()
    guard check.isDue(found.session.checkedAt, now: now),
        memory.setChecked(value, from: found.session.checkedAt, to: now)
    else { return found }
    switch await check.ask(session: found.session.signIn.id, user: found.user.id, now: now) {
    case .active(let user): memory.update(user)
    case .ended: memory.end(value)
    case .expired: break
    case .failed: _ = memory.setChecked(value, from: now, to: check.checkedAt(afterFailure: now))
    }
    return memory.find(value)
}
func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
}
/// - Parameter referrer: what other sites and later pages learn of this page's address. With `no-referrer` a form of the page
///   would be sent without its origin.
func answer(
    _ status: HTTPResponse.Status, _ html: String = "", location: String? = nil, referrer: String = "same-origin"
) -> Response {
    let head = #"<!doctype html><html lang="en"><meta charset="utf-8"><title>Example</title>"#
    var headers: HTTPFields = [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"]
    headers[.location] = location
    if let name = HTTPFields.Element.Name("Referrer-Policy") { headers[name] = referrer }
    return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: head + html)))
}
/// A page with a link straight to the identity provider, and its cookie: phones open an app only for a tapped link.
func offer(
    _ html: String, _ request: Request, status: HTTPResponse.Status = .ok, returnTo: String = "/",
    demanding demand: SignInDemand = SignInDemand(), referrer: String = "same-origin"
) throws -> Response {
    let (url, started) = try client.start(returnTo: returnTo, isOffer: true, demanding: demand)
    let link = #"<p><a id="sign-in" href="\#(escaped(url))">Sign in with \#(escaped(idpName))</a></p>"#
    var response = answer(status, html + link, referrer: referrer)
    let cookies = request.headers[values: .cookie]
    let changes = try pending.changes(adding: started, to: cookies, prefix: prefix + "pending_")
    for (id, value) in changes { set("pending_" + id, value ?? "", seconds: value == nil ? 0 : 600, in: &response) }
    return response
}

let router = Router()
router.get("/") { request, _ in
    guard let (_, user) = await signedIn(request) else { return try offer("<h1>Welcome</h1>", request) }
    let form = #"<form method="post" action="/sign-out"><button>Sign out</button></form>"#
    return answer(.ok, #"<h1>Hello \#(escaped(user.name))</h1><p><a href="/payments">Payments</a></p>\#(form)"#)
}
router.get("/payments") { request, _ in
    let demand = SignInDemand(maximumAge: .seconds(300))  // Signed in at most five minutes ago, by any method.
    guard let (session, _) = await signedIn(request), demand.isMet(by: session.signIn) else {
        return try offer("<h1>Sign in to pay</h1>", request, returnTo: "/payments", demanding: demand)
    }
    return answer(.ok, "<h1>Payments</h1>")
}
router.get("/auth/sso/callback") { request, _ in
    do {
        let callback = try SignInCallback(purpose: request.headers[.secPurpose]) {
            request.uri.queryParameters[values: $0[...]].map(String.init)
        }
        let (old, start) = (cookie("session", request), Date())
        if let done = memory.find(old)?.session.callback, done.fingerprint == callback.fingerprint {
            return answer(.seeOther, location: done.page, referrer: "no-referrer")
        }
        let kept = pending.read(cookie("pending_" + PendingSignInsCookie.id(of: callback.state), request))
        let found = try client.find(callback, in: kept)
        let reply = try await client.redeem(callback, for: found, used: used, isSignedIn: memory.find(old) != nil)
        var response = answer(.seeOther, location: found.returnTo, referrer: "no-referrer")
        if let reply {
            // A new value at each sign-in: one that an attacker planted is worth nothing (session fixation).
            let fresh = Base64URL.encode(try RandomBytes.generate(32))
            let done = (fingerprint: callback.fingerprint, page: found.returnTo)
            guard memory.begin(reply, by: done, cookie: fresh, replacing: old, since: start) else {
                throw SignInError.signedOutMeanwhile(returnTo: found.returnTo)
            }
            set("session", fresh, seconds: Memory.sessionSeconds, in: &response)
        }
        return response
    } catch let error as SignInError {
        let words = "<h1>\(escaped(error.title(idp: idpName)))</h1><p>\(escaped(error.explanation(idp: idpName)))</p>"
        return try offer(words, request, status: .init(code: error.status), referrer: "no-referrer")
    }
}
router.post("/auth/sso/logout") { request, _ in
    // The identity provider posts here when a session there has ended.
    let body = try await request.body.collect(upTo: SignOutMessage.maximumBytes)
    let signatures = request.headers.filter { $0.name.canonicalName == RequestSignature.headerName.lowercased() }
    do {
        memory.end(
            try receiver.read(
                Array(body.readableBytesView), signatures: signatures.map(\.value),
                contentTypes: request.headers[values: .contentType]))
        return answer(.ok)
    } catch let error as SignOutError { return answer(.init(code: error.status)) }
}
router.post("/sign-out") { request, _ in
    // Browsers name the sender of each form, older ones its origin alone.
    let sender = request.headers.first { $0.name.canonicalName == "sec-fetch-site" }?.value ?? request.headers[.origin]
    guard sender == "same-origin" || sender == origin else { return answer(.forbidden, "<h1>Not our form</h1>") }
    if let value = cookie("session", request) { memory.end(value) }
    var response = answer(.seeOther, location: "/")
    set("session", "", seconds: 0, in: &response)
    return response
}

let port = Int(environment["PORT"] ?? "8082") ?? 8082
try await Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: port))).runService()
