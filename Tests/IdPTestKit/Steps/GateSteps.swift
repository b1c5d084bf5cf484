import SSOShared
import SSOWeb

@testable import Counterparts
@testable import IdPGate
@testable import TestKit
@testable import WebTestKit

/// What the browser and the proxy of a service behind the gate do, where the service is on loopback.
extension TestDeployment {
    /// What a browser keeps that began to sign in at the service.
    private static let gateVerifier = Base64URL.encode([UInt8](repeating: 7, count: 32))

    /// The address that the service's `start` leads to.
    ///
    /// - Parameter mark: is part of the page's address, and makes the request another one.
    func gateRequest(_ client: Client, mark: String, isChoice: Bool) -> String {
        let state = Base64URL.encode(Array(SHA256.hash(Array(mark.utf8)).prefix(16)))
        let fields = [
            ("client_id", client.id), ("state", state), ("challenge", CodeChallenge.s256(Self.gateVerifier)),
            ("to", "/page?\(FormCoding.encode([("mark", mark)]))"),
        ]
        let more = isChoice ? [("prompt", "select_account")] : []
        return "\(origin)\(GatePath.authorize)?\(FormCoding.encode(fields + more))"
    }

    /// Opens the callback, and then the page as the proxy asks about it; nil where either is refused.
    func enterGate(_ callback: WebAddress, as client: Client) async throws -> TestedProtocol.Redeemed? {
        let probe = HTTPProbe(port: port, authority: "localhost:4000")
        let host = String(client.origin.dropFirst("http://".count))
        let proxy = [("X-Forwarded-Proto", "http"), ("X-Forwarded-Host", host)]
        let back = try await probe.get(
            "/gate/\(client.id)/callback?\(callback.target.drop { $0 != "?" }.dropFirst())",
            proxy + [("Cookie", "sso_gate_state=\(Self.gateVerifier)")])
        let set = back.all("set-cookie").first { $0.hasPrefix("sso_gate=") }
        guard back.status == 303, let location = back.header("location"), let cookie = set?.prefix(while: { $0 != ";" })
        else { return nil }
        let page = try WebAddress(location)
        let check = try await probe.get(
            "/gate/\(client.id)/check", proxy + [("X-Forwarded-Uri", page.target), ("Cookie", String(cookie))])
        guard check.status == 200 else { return nil }
        return .init(
            email: check.header("remote-email"), mark: page.query("mark"), methods: [], strength: nil)
    }
}
