import Foundation
import HTTPTypes
import Hummingbird
import IdPClients
import SSOShared
import SSOWeb

/// The page that users see on the host of a service: its style is in the page, because the files of this program are not there.
struct GatePage: Sendable {
    let pages: Pages
    /// Of this program.
    let origin: PublicOrigin

    private struct Model: Encodable, Sendable {
        let client, brand, href: String
        let styleHTML = GatePage.style
        let isEnded, isNoAccess, isSignedOut, isFailed: Bool
    }

    /// A card as on the pages of this program. The policy names it by its hash (Content Security Policy Level 3, 6.7.3.3).
    private static let style = """
        :root { color-scheme: light dark; }
        body { margin: 0; padding: 1rem; background: #f4f6f9; color: #14171f; font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", \
        Roboto, "Noto Sans", "DejaVu Sans", sans-serif; overflow-wrap: break-word; hyphens: auto; }
        main { max-width: 28rem; margin: 8vh auto; padding: clamp(1.25rem, 6vw, 2.25rem); border: 1px solid #dfe3ea; \
        border-radius: 0.875rem; background: #fff; box-sizing: border-box; }
        h1 { margin: 0 0 0.5rem; font-size: clamp(1.375rem, 6.9vw, 1.625rem); line-height: 1.2; text-wrap: balance; }
        p { margin: 0 0 1rem; }
        .action { margin: 1.5rem 0 1rem; font-weight: 700; }
        .action a { display: inline-block; box-sizing: border-box; max-width: 100%; padding: 0.7rem 1.1rem; \
        border: 1px solid transparent; border-radius: 0.6rem; overflow-wrap: anywhere; \
        background: #1d5bc0; color: #fff; text-align: center; text-decoration: none; }
        .action a:focus-visible { outline: 3px solid #1d5bc0; outline-offset: 2px; }
        main > :last-child { margin-bottom: 0; }
        @media (prefers-color-scheme: dark) {
        body { background: #0f1218; color: #e9ecf3; }
        main { border-color: #2a303b; background: #171b23; }
        .action a { background: #8ab4ff; color: #0b1220; }
        .action a:focus-visible { outline-color: #8ab4ff; }
        }
        """

    private static let policy = ContentPolicy.noForms.replacing(
        "style-src 'self'",
        with: "style-src 'sha256-\(Data(SHA256.hash(Array(style.utf8))).base64EncodedString())'")

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
        response(.failed, request, client, gate, .badRequest, leadingTo: gate.start(to: returnTo))
    }

    private func response(
        _ kind: Kind, _ request: Request, _ client: Client, _ gate: GateSettings, _ status: HTTPResponse.Status,
        leadingTo href: String
    ) -> Response {
        pages.response(
            "gate",
            Model(
                client: client.name, brand: pages.brand, href: href, isEnded: kind == .ended,
                isNoAccess: kind == .noAccess, isSignedOut: kind == .signedOut, isFailed: kind == .failed),
            for: request,
            status: status,
            headers: [
                .contentSecurityPolicy: Self.policy, .referrerPolicy: "no-referrer",
                .cacheControl: "no-store",
            ])
    }
}
