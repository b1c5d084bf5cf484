import Synchronization

/// One page that a browser has loaded.
struct Visit: Sendable {
    let address: WebAddress
    let reply: ProbeReply

    var status: Int { reply.status }
    var text: String { reply.text }

    /// - Throws: `ProbeFailure` when the page is not well-formed.
    func page() throws -> ScannedPage { try ScannedPage(reply.text) }

    /// The target of a redirect, made absolute.
    func location() throws -> WebAddress {
        guard let location = reply.header("location") else { throw ProbeFailure("\(status) without a Location") }
        return try address.resolving(location)
    }
}

/// A browser without a screen: it keeps cookies by host as browsers do (ports share them), sends a browser's headers,
/// and follows redirects only when told, so that a test can check every step.
final class Browser: Sendable {
    /// Host -> name -> value.
    private let jar: Mutex<[String: [String: String]]>
    private let received = Mutex<[String]>([])
    /// The loopback address that requests come from, for limits that count by address.
    let source: String?
    /// Sent as `Accept-Language`.
    let language: String?
    let userAgent: String
    /// Where an origin is really served, when several processes answer for one public address.
    private let routes: [String: UInt16]

    init(
        from source: String? = nil, language: String? = nil, userAgent: String = browserUserAgent,
        routes: [String: UInt16] = [:], cookies: [String: [String: String]] = [:]
    ) {
        (self.source, self.language, self.userAgent, self.routes) = (source, language, userAgent, routes)
        jar = Mutex(cookies)
    }

    static let browserUserAgent = "Mozilla/5.0 (X11; Linux x86_64) Visitor/1.0"
    /// The web view of a Hotwire Native app.
    static let shellUserAgent =
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Hotwire Native iOS; Turbo Native iOS;"

    /// Another browser with the same cookies: a second tab, or an attacker with stolen cookies. `routes` may send it
    /// to another process.
    func twin(routes: [String: UInt16]? = nil, userAgent: String? = nil) -> Browser {
        Browser(
            from: source, language: language, userAgent: userAgent ?? self.userAgent, routes: routes ?? self.routes,
            cookies: jar.withLock { $0 })
    }

    /// Another browser at the same place that has no cookies: what it sends, a request from another site sends, with
    /// cookies that are `SameSite=Lax`.
    func withoutCookies() -> Browser { Browser(from: source, language: language, userAgent: userAgent, routes: routes) }

    func cookie(_ name: String, at host: String) -> String? { jar.withLock { $0[host]?[name] } }
    func setCookie(_ name: String, to value: String?, at host: String) {
        jar.withLock { $0[host, default: [:]][name] = value }
    }
    var cookies: [String: [String: String]] { jar.withLock { $0 } }
    /// Every `Set-Cookie` that a visit of this browser brought, in order.
    var setCookieLines: [String] { received.withLock { $0 } }

    func get(_ address: String, _ headers: HTTPProbe.Headers = []) async throws -> Visit {
        try await send("GET", try WebAddress(address), headers)
    }

    func get(_ address: WebAddress, _ headers: HTTPProbe.Headers = []) async throws -> Visit {
        try await send("GET", address, headers)
    }

    /// The path of forms that are posted without their token.
    @TaskLocal static var pathWithoutToken: String?

    /// Posts fields as a form on a page of the same origin would.
    func post(_ address: WebAddress, _ fields: [(String, String)], _ headers: HTTPProbe.Headers = []) async throws
        -> Visit
    {
        let form = [("Content-Type", "application/x-www-form-urlencoded"), ("Origin", address.origin)]
        let path = address.target.prefix { $0 != "?" }
        let fields = path == Self.pathWithoutToken ?? "" ? fields.filter { $0.0 != "form_token" } : fields
        return try await send("POST", address, form + headers, body: Array(FormCoding.encode(fields).utf8))
    }

    /// Fills in and submits a form of the page.
    func submit(_ form: ScannedForm?, on visit: Visit, _ values: [String: String] = [:]) async throws -> Visit {
        guard let form else {
            throw ProbeFailure("no such form at \(visit.address.absolute) (\(visit.status)): \(visit.text)")
        }
        return try await post(visit.address.resolving(form.action), form.filled(values))
    }

    /// Follows a link of the page.
    func click(_ link: String?, on visit: Visit) async throws -> Visit {
        guard let link else {
            throw ProbeFailure("no such link at \(visit.address.absolute) (\(visit.status)): \(visit.text)")
        }
        return try await get(visit.address.resolving(link))
    }

    /// Follows redirects as a browser does: 302 and 303 with a GET. Any other redirect is an error.
    func follow(_ visit: Visit, atMost steps: Int = 8) async throws -> Visit {
        var visit = visit
        for _ in 0..<steps {
            guard (300..<400).contains(visit.status), visit.status != 304 else { return visit }
            guard visit.status == 302 || visit.status == 303 else {
                throw ProbeFailure("a redirect by \(visit.status)")
            }
            visit = try await get(visit.location())
        }
        throw ProbeFailure("more than \(steps) redirects, the last to \(visit.address.absolute)")
    }

    func send(
        _ method: String, _ address: WebAddress, _ headers: HTTPProbe.Headers = [], body: [UInt8]? = nil
    ) async throws -> Visit {
        let probe = HTTPProbe(
            host: address.host, port: routes[address.origin] ?? address.port,
            authority: "\(address.host):\(address.port)", source: source)
        // A request from another site says so instead.
        let isFromElsewhere = headers.contains { $0.0 == "Sec-Fetch-Site" }
        let own = browserHeaders(method, address).filter { !isFromElsewhere || $0.0 != "Sec-Fetch-Site" }
        let reply = try await probe.send(method, address.target, own + headers, body: body)
        keepCookies(of: reply, from: address.host)
        return Visit(address: address, reply: reply)
    }

    private func browserHeaders(_ method: String, _ address: WebAddress) -> HTTPProbe.Headers {
        var headers = [
            ("User-Agent", userAgent), ("Accept", "text/html,*/*;q=0.8"),
            ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document"), ("Sec-Fetch-User", "?1"),
            ("Sec-Fetch-Site", method == "POST" ? "same-origin" : "none"),
        ]
        if let language { headers.append(("Accept-Language", language)) }
        let cookies = jar.withLock { $0[address.host] ?? [:] }
        if !cookies.isEmpty {
            headers.append(
                ("Cookie", cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")))
        }
        return headers
    }

    private func keepCookies(of reply: ProbeReply, from host: String) {
        for line in reply.all("set-cookie") {
            received.withLock { $0.append(line) }
            let parts = line.split(separator: ";").map { $0.drop { $0 == " " } }
            let pair = parts.first?.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false) ?? []
            guard pair.count == 2 else { continue }
            let gone = parts.contains { $0.lowercased() == "max-age=0" }
            setCookie(String(pair[0]), to: gone ? nil : String(pair[1]), at: host)
        }
    }
}

extension Visit {
    /// The token in the page's first form.
    func formToken() throws -> String {
        guard let token = try page().forms.first?["form_token"] else {
            throw ProbeFailure("no form token at \(address.absolute) (\(status))")
        }
        return token
    }
}

extension Browser {
    /// The hidden fields of the page's first form, as a script would send them.
    func formToken(of visit: Visit) throws -> [(String, String)] {
        guard let token = try visit.page().forms.first?["form_token"] else { throw ProbeFailure("no form token") }
        return [("form_token", token)]
    }
}
