/// One login after another on every connection: authorize with the browser's session, then verify as the client's server.
struct LoginLoad: Load {
    private struct Browser {
        let cookie: String
        /// The token of the login under way, nil before authorize.
        var token: [UInt8]?
        var authorizeTook: UInt32 = 0
    }

    private var browsers: [Browser]
    private let client: BenchClient
    private let end: UInt64

    private(set) var nextState: Int
    /// Of whole logins: the sum of both halves, from just before a request is written to the complete response.
    private(set) var latencies: [UInt32] = []
    /// Status and how often, for responses other than 200. Broken connections have status 0.
    private(set) var errors: [Int: Int] = [:]

    /// - Parameter cookies: one session cookie per browser.
    init(cookies: [String], client: BenchClient, firstState: Int, seconds: Double) {
        (self.client, nextState) = (client, firstState)
        browsers = cookies.map { Browser(cookie: $0) }
        latencies.reserveCapacity(1 << 16)
        end = LoadLoop.now() + UInt64(seconds * 1e9)
    }

    mutating func request(on connection: Int) -> [UInt8] {
        if let token = browsers[connection].token { return client.verifyRequest(token) }
        nextState += 1
        return client.authorizeRequest(state: nextState, cookie: browsers[connection].cookie)
    }

    mutating func took(_ answer: WireConnection.Answer, on connection: Int, after microseconds: UInt32) -> Bool {
        guard browsers[connection].token != nil else {
            browsers[connection].authorizeTook = microseconds
            guard let token = client.token(in: answer) else { return failed(answer.status) }
            browsers[connection].token = token
            return true
        }
        browsers[connection].token = nil
        guard answer.status == 200 else { return failed(answer.status) }
        latencies.append(browsers[connection].authorizeTook + microseconds)
        return LoadLoop.now() < end
    }

    mutating func broke(_ connection: Int) {
        browsers[connection].token = nil
        _ = failed(0)
    }

    private mutating func failed(_ status: Int) -> Bool {
        errors[status, default: 0] += 1
        return LoadLoop.now() < end
    }
}

/// The same request again and again for a while.
struct ConstantLoad: Load {
    private let bytes: [UInt8]
    private let end: UInt64
    private(set) var answers = 0
    private(set) var errors = 0

    init(path: String, authority: String, seconds: Double) {
        bytes = Array("GET \(path) HTTP/1.1\r\nHost: \(authority)\r\n\r\n".utf8)
        end = LoadLoop.now() + UInt64(seconds * 1e9)
    }

    mutating func request(on connection: Int) -> [UInt8] { bytes }

    mutating func took(_ answer: WireConnection.Answer, on connection: Int, after microseconds: UInt32) -> Bool {
        if answer.status == 200 { answers += 1 } else { errors += 1 }
        return LoadLoop.now() < end
    }

    mutating func broke(_ connection: Int) { errors += 1 }
}
