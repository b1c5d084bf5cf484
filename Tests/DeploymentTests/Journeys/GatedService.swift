import Foundation
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit

/// A service behind the gate: a real proxy with the block that `idp client show --proxy` prints, and a server that writes down
/// what reaches it.
struct GatedService: Sendable {
    static let id = "wiki"
    /// The field in which apps may send their key.
    static let keyField = "X-Api-Key"
    static let identity = [
        "Remote-User", "Remote-Email", "Remote-Name", "Remote-Groups", "Remote-Id", "X-SSO-Identity",
    ]
    /// The browser's cookies are kept by host: that of the identity provider is `localhost`.
    private static let host = "127.0.0.1"

    let pair: ProcessDeployment
    let kind: ProxyProcess.Kind
    let origin: String
    private let proxy: ProxyProcess
    private let service: BackChannelStub

    /// Starts all, lets `body` use it, and stops all.
    ///
    /// - Parameters:
    ///   - program: the port that the proxy asks; nil for that of the identity provider.
    ///   - isWhole: whether the block keeps the lines that remove what clients send.
    static func running(
        _ kind: ProxyProcess.Kind, asking program: UInt16? = nil, isWhole: Bool = true,
        _ body: (GatedService) async throws -> Void
    ) async throws {
        let (folder, port) = (try TemporaryFolder(), try FreePort.find())
        let (origin, service) = ("http://\(host):\(port)", try BackChannelStub(answer))
        let clients = """
            clients:
              - {id: \(id), name: Wiki, protocols: [gate], access: everyone, gate_origin: "\(origin)",
                 upstream: "\(service.origin)", app_keys: true, app_key_field: \(keyField)}

            """
        let settings = [
            "IDP_CLIENTS_FILE": try folder.write(clients, to: "clients.yaml"), "IDP_TRUSTED_PROXIES": "127.0.0.1",
        ]
        try await ProcessDeployment.running(ProcessDeployment(clients: 0, settings: settings)) { pair in
            let block = try await pair.idp(
                [
                    "client", "show", id, "--proxy", kind.rawValue, "--program",
                    "127.0.0.1:\(program ?? pair.idp.port)",
                ], settings: settings
            ).printed
            // A request without a session is refused. A gate that answers otherwise is one of the test.
            let proxy = try await ProxyProcess(
                kind, file: file(kind, around: isWhole ? block : withoutRemovals(block)), port: port,
                answering: program == nil ? [401] : [200, 500, 502, 503])
            try await body(GatedService(pair: pair, kind: kind, origin: origin, proxy: proxy, service: service))
        }
        service.stop()
    }

    /// The block without the lines that set or remove an identity field or a key.
    private static func withoutRemovals(_ block: String) -> String {
        let fields = ["remote", "x-sso", "x[^a-z0-9]sso", "x_sso", "authorization", keyField.lowercased()]
        let rules = ["set_header ", "request_header -", "del-header ", "copy_headers "]
        return block.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            !(rules.contains(where: line.contains) && fields.contains(where: line.lowercased().contains))
        }.joined(separator: "\n")
    }

    /// What an operator has around the block.
    private static func file(_ kind: ProxyProcess.Kind, around block: String) -> String {
        switch kind {
        case .nginx:
            let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path FOLDER/\($0);" }
            return """
                daemon off; master_process off; pid FOLDER/pid;
                events {}
                http { access_log off; \(folders.joined(separator: " "))
                \(block)
                }

                """
        case .caddy: return "{\n\tadmin off\n\tauto_https off\n}\n\(block)"
        case .haproxy:
            let said = HAProxyBlock(block)
            return (["global"] + said.global + said.frontend + said.choices + [block]).joined(separator: "\n")
        }
    }

    /// What a server agrees to a WebSocket with, for the key ``socketKey`` (RFC 6455 4.2.2).
    private static let upgrade =
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ICX+Yqv66kxgM0FcWaLWlFLwTAI=\r\n"
    static let socketKey = "AAAAAAAAAAAAAAAAAAAAAA=="

    /// The service: a page with two forms, and an end of WebSockets.
    @Sendable private static func answer(_ request: BackChannelStub.Request) -> BackChannelStub.Answer {
        if request.head == "ping" { return .bytesThenClose(Array("pong".utf8)) }
        if request.header("upgrade")?.lowercased() == "websocket" {
            return .bytes(Array(("HTTP/1.1 101 Switching Protocols\r\n" + upgrade + "\r\n").utf8))
        }
        let page = """
            <!DOCTYPE html><title>Wiki</title><h1>Wiki</h1><p id="user">\(request.header("remote-user") ?? "")</p>
            <p id="note">\(String(decoding: request.body, as: UTF8.self))</p>
            <form method="post" action="/note"><input name="note"><button>Save</button></form>
            <form method="post" action="/.sso/sign-out"><button>Sign out</button></form>
            """
        return .bytesThenClose(
            BackChannelFixture.http("200 OK", ["Content-Type: text/html", "Connection: close"], Array(page.utf8)))
    }

    // MARK: Requests

    /// What a browser sends that opens a page.
    static let page: HTTPProbe.Headers = [
        ("Accept", "text/html,*/*;q=0.8"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document"),
        ("Sec-Fetch-Site", "none"),
    ]

    /// To the proxy, with none of a browser's fields.
    var probe: HTTPProbe { proxy.probe }

    /// What a browser sends that sends a form of this site, or of another one.
    static func form(from site: String) -> HTTPProbe.Headers {
        page.dropLast() + [("Sec-Fetch-Site", site), ("Content-Type", "application/x-www-form-urlencoded")]
    }

    /// The fields with the session of a browser.
    static func cookie(_ browser: Browser) throws -> HTTPProbe.Headers {
        [("Cookie", "sso_gate=\(try session(browser))")]
    }

    /// The id of a browser's session at the service.
    static func session(_ browser: Browser) throws -> String {
        guard let session = browser.cookie("sso_gate", at: host) else { throw ProbeFailure("no session") }
        return session
    }

    /// The requests with this word in the first line that reached the service.
    func arrived(_ word: String) -> [BackChannelStub.Request] {
        service.requests.filter { $0.head.prefix { $0 != "\r\n" }.contains(word) }
    }

    /// The only request with this word that reached the service.
    func onlyArrived(_ word: String) throws -> BackChannelStub.Request {
        let all = arrived(word)
        guard all.count == 1 else { throw ProbeFailure("\(all.count) requests with \(word) reached the service") }
        return all[0]
    }

    // MARK: Users

    /// A browser that is signed in at the identity provider, and has no session at the service.
    func user(_ address: String = "ann@example.com") async throws -> Browser {
        let (browser, earlier) = (Browser(), pair.mailbox.all(to: address))
        let waiting = try await browser.ask(for: address, on: browser.get(pair.origin + "/sign-in"))
        _ = try await browser.enter(pair.mailbox.code(to: address, besides: earlier), on: waiting)
        return browser
    }

    /// Opens a page of the service, over the sign-in here.
    @discardableResult
    func enter(_ browser: Browser, at path: String = "/enter") async throws -> Visit {
        try await browser.follow(browser.get(origin + path))
    }

    /// A key that the user of a browser makes for the service.
    func key(_ browser: Browser) async throws -> String {
        let list = try await browser.get(pair.origin + "/app-keys")
        guard let form = try list.page().form(to: "/app-keys/add") else { throw ProbeFailure("no form: \(list.text)") }
        let fields = form.filled(["name": "My phone"]).filter { $0.0 != "client" } + [("client", Self.id)]
        let made = try await browser.post(list.address.resolving(form.action), fields)
        guard let key = made.text.firstMatch(of: #/sgk_[\w-]{43}/#) else { throw ProbeFailure("no key: \(made.text)") }
        return String(key.output)
    }
}
