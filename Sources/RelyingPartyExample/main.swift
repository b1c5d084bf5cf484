import Foundation
import Hummingbird
import SSOShared
import Synchronization

// A relying party in one file. Sessions and used states are in memory: keep them in a database to run several processes.
let environment = ProcessInfo.processInfo.environment
let origin = environment["ORIGIN"] ?? "http://localhost:8082"
let idp = environment["IDP"] ?? "http://localhost:8080"
let idpName = environment["IDP_NAME"] ?? "Main App"
let id = environment["SSO_CLIENT_ID"] ?? "partner"
let secret = try SharedSecret.parse(environment["SSO_SHARED_SECRET"] ?? "", setting: "SSO_SHARED_SECRET")
let keys = try DerivedKeys.parse(environment["SECRET_KEY"] ?? "", setting: "SECRET_KEY")

let isSecure = origin.hasPrefix("https://")
let prefix = isSecure ? "__Host-" : ""
func cookie(_ name: String, _ value: String, seconds: Int) -> Cookie {
    Cookie(name: prefix + name, value: value, maxAge: seconds, path: "/", secure: isSecure, sameSite: .lax)
}
func page(_ html: String, _ status: HTTPResponse.Status = .ok) -> Response {
    let head =
        #"<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Example</title>"#
    return Response(
        status: status, headers: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"],
        body: .init(byteBuffer: ByteBuffer(string: head + html)))
}

let client = SignInClient(
    idp: idp, clientID: id, redirectURI: origin + SSOPath.callback,
    backChannel: try BackChannelClient(origin: idp, clientID: id, secret: secret))
let pending = PendingSignInsCookie(keys: keys)
let used = UsedStatesInMemory()
final class Sessions: Sendable { let users = Mutex<[String: VerifiedUser]>([:]) }
let sessions = Sessions()
func signedInUser(_ request: Request) -> VerifiedUser? {
    request.cookies[prefix + "session"].flatMap { id in sessions.users.withLock { $0[id.value] } }
}

let router = Router()
router.get("/") { request, _ in
    guard let user = signedInUser(request) else { return page(#"<a id="sign-in" href="/auth/sso/start">Sign in</a>"#) }
    let name = user.name.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    return page(#"<p>Hello \#(name)</p><form method="post" action="/sign-out"><button>Sign out</button></form>"#)
}
router.get("/auth/sso/start") { request, _ in
    let returnTo = request.uri.queryParameters["return_to"].map(String.init)
    let (url, started) = try client.start(returnTo: returnTo)
    var response = Response.redirect(to: url, type: .found)
    let value = try pending.value(adding: started, to: request.cookies[prefix + "pending"]?.value, now: Date())
    response.setCookie(cookie("pending", value ?? "", seconds: 600))
    return response
}
router.get("/auth/sso/callback") { request, _ in
    do {
        let query = request.uri.queryParameters
        let callback = try SignInCallback(purpose: request.headers[.secPurpose]) { name in
            query[values: name[...]].map(String.init)
        }
        let kept = pending.read(request.cookies[prefix + "pending"]?.value)
        let found = try client.find(callback, in: kept)
        let reply = try await client.redeem(callback, for: found, used: used, isSignedIn: signedInUser(request) != nil)
        var response = Response(status: .seeOther, headers: [.location: found.returnTo])
        if let reply {
            // A new id at each sign-in: one that an attacker planted is worth nothing (session fixation).
            let session = Base64URL.encode(try RandomBytes.generate(32))
            sessions.users.withLock { $0[session] = reply.user }
            response.setCookie(cookie("session", session, seconds: 43200))
        }
        return response
    } catch let error as SignInError {
        let words = "<h1>\(error.title(idp: idpName))</h1><p>\(error.explanation(idp: idpName))</p>"
        let again = #"<a href="\#(error.startAgain)">Sign in again</a>"#
        return page(words + again, .init(code: error.status))
    }
}
router.post("/sign-out") { request, _ in
    if let id = request.cookies[prefix + "session"]?.value { sessions.users.withLock { $0[id] = nil } }
    return Response(status: .seeOther, headers: [.location: "/"])
}

let port = Int(environment["PORT"] ?? "8082") ?? 8082
try await Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: port))).runService()
