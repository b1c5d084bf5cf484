import SSOShared

/// The partner the bench plays.
struct BenchPartner {
    let id = "bench"
    let callback = "http://127.0.0.1:9/auth/sso/callback"
    let secret: SharedSecret
}

/// One login after another on every connection: authorize with the browser's session, then verify as the partner's
/// server.
struct PairScript: LoadScript {
    /// One signed-in browser.
    private struct Browser {
        var token: [UInt8]?
        var authorizeTook: UInt32 = 0
        let head: [UInt8]
    }

    private var browsers: [Browser]
    private let partner: BenchPartner
    private let verifyHead: [UInt8]
    private var target = 0
    private var started = 0
    private var serial = 0

    private(set) var done = 0
    private(set) var authorize: Latencies
    private(set) var verify: Latencies
    private(set) var whole: Latencies
    /// Status -> how often, for answers that were not 200, and broken connections under 0.
    private(set) var errors: [Int: Int] = [:]
    /// - Parameter cookies: one session cookie a browser.
    init(cookies: [String], partner: BenchPartner, authority: String) {
        self.partner = partner
        browsers = cookies.map { cookie in
            let redirect = "http%3A%2F%2F127.0.0.1%3A9%2Fauth%2Fsso%2Fcallback"
            let line = "GET \(SSOPath.authorize)?client_id=\(partner.id)&redirect_uri=\(redirect)&state=bench-"
            // The serial goes between the two: what follows the mark is sent after it.
            let rest = " HTTP/1.1\r\nHost: \(authority)\r\nCookie: \(cookie)\r\nAccept: text/html\r\n\r\n"
            return Browser(token: nil, head: Array(line.utf8) + [0] + Array(rest.utf8))
        }
        verifyHead = Array(
            """
            POST \(SSOPath.verify) HTTP/1.1\r\nHost: \(authority)\r\nContent-Type: application/json\r
            \(RequestSignature.clientHeaderName): \(partner.id)\r\n\(RequestSignature.headerName): 
            """.utf8)
        authorize = Latencies(expecting: 1 << 17)
        verify = Latencies(expecting: 1 << 17)
        whole = Latencies(expecting: 1 << 17)
    }

    /// Lets so many more pairs begin.
    mutating func aim(for pairs: Int) { target = started + pairs }

    /// Leaves out the first states: a state that a session has used before gets other work from the IdP.
    mutating func begin(after serial: Int) { self.serial = serial }

    mutating func request(on connection: Int) -> [UInt8] {
        if let token = browsers[connection].token { return verifyRequest(token) }
        started += 1
        serial += 1
        let head = browsers[connection].head
        guard let mark = head.firstIndex(of: 0) else { return head }
        return head[..<mark] + Array(String(serial).utf8) + head[(mark + 1)...]
    }

    mutating func took(_ answer: WireConnection.Answer, on connection: Int, after microseconds: UInt32) -> Bool {
        if browsers[connection].token == nil {
            authorize.note(microseconds)
            browsers[connection].authorizeTook = microseconds
            guard answer.status == 200, let found = ByteSearch.find("token=sst_", in: answer.body),
                answer.body.count >= found + 53
            else { return failed(answer.status) }
            browsers[connection].token = Array(answer.body[(found + 6)..<(found + 53)])
            return true
        }
        browsers[connection].token = nil
        verify.note(microseconds)
        whole.note(browsers[connection].authorizeTook + microseconds)
        guard answer.status == 200 else { return failed(answer.status) }
        done += 1
        return started < target
    }

    mutating func broke(_ connection: Int) {
        browsers[connection].token = nil
        errors[0, default: 0] += 1
    }

    private mutating func failed(_ status: Int) -> Bool {
        errors[status, default: 0] += 1
        return started < target
    }

    private func verifyRequest(_ token: [UInt8]) -> [UInt8] {
        let body = Array("{\"token\":\"".utf8) + token + Array("\",\"redirect_uri\":\"\(partner.callback)\"}".utf8)
        let signature = RequestSignature.request(body: body, secret: partner.secret).headerValue
        return verifyHead + Array("\(signature)\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
    }
}
