import HTTPTypes
import Hummingbird
import IdPClients
import SSOWeb

/// The page that users see on the host of a service: it has no style sheet, because the files of this program are not there.
struct GatePage: Sendable {
    let pages: Pages
    /// Of this program.
    let origin: PublicOrigin

    private struct Model: Encodable, Sendable {
        let client, brand, href: String
        let isEnded, isNoAccess, isSignedOut, isFailed: Bool
    }

    private enum Kind { case ended, noAccess, signedOut, failed }

    /// A form was sent after the session had ended.
    func ended(_ request: Request, _ client: Client, _ gate: GateSettings) -> Response {
        response(.ended, request, client, gate, .unauthorized, leadingTo: gate.address("start"))
    }

    /// The page of this program that the link leads to says whom to ask, and offers another account.
    func noAccess(_ request: Request, _ client: Client, _ gate: GateSettings) -> Response {
        response(.noAccess, request, client, gate, .forbidden, leadingTo: gate.address("start"))
    }

    func signedOut(_ request: Request, _ client: Client, _ gate: GateSettings) -> Response {
        response(.signedOut, request, client, gate, .ok, leadingTo: origin.text + "/")
    }

    /// The browser came back with nothing that lets it in.
    func failed(_ request: Request, _ client: Client, _ gate: GateSettings, _ returnTo: ReturnAddress) -> Response {
        response(
            .failed, request, client, gate, .badRequest,
            leadingTo: "\(gate.address("start"))?to=\(returnTo.encoded)")
    }

    private func response(
        _ kind: Kind, _ request: Request, _ client: Client, _ gate: GateSettings, _ status: HTTPResponse.Status,
        leadingTo href: String
    ) -> Response {
        var response = pages.response(
            "gate",
            Model(
                client: client.name, brand: pages.brand, href: href, isEnded: kind == .ended,
                isNoAccess: kind == .noAccess, isSignedOut: kind == .signedOut, isFailed: kind == .failed),
            for: request,
            status: status,
            headers: [
                .contentSecurityPolicy: ContentPolicy.noForms, .referrerPolicy: "no-referrer",
                .cacheControl: "no-store",
            ])
        // What this program wants of the hosts below its own is not for those of the service.
        if gate.origin.isHTTPS, let field = HTTPField.Name("Strict-Transport-Security") {
            response.headers[field] = "max-age=31536000"
        }
        return response
    }
}
