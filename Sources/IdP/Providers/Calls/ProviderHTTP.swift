import SSOShared
import SSOWeb
import Synchronization

/// Sends one HTTP request. ``HTTPClient`` does, and tests replace it.
protocol ProviderTransport: Sendable {
    func send(_ request: HTTPClient.Request) async throws(ConnectionError) -> HTTPClient.Response
}

extension HTTPClient: ProviderTransport {}

/// Calls providers: certificates are verified, redirects are not followed, and time, size, addresses and calls in progress are
/// limited.
struct ProviderHTTP: Sendable {
    /// What a provider answered: strict JSON.
    struct Answer: Sendable {
        let status: Int
        let json: JSONNode
        /// For how long the answer may be kept, from `Cache-Control`.
        let lifetime: Duration
        /// The caller has asked too often (GitHub, "Exceeding the rate limit").
        let isOverLimit: Bool
    }

    /// How many calls to one issuer are in progress at the same time. A further one fails at once. At 0.3 seconds a call this
    /// is enough for 50 sign-ins a second with one provider.
    static let callsPerIssuer = 16
    /// More than the providers of any file can have in progress, so that no provider waits for the calls of others.
    private static let callsOfAll = 64 * callsPerIssuer

    private let transport: any ProviderTransport
    private let places = IssuerPlaces(callsPerIssuer)

    /// - Parameter transport: makes the calls; with a limit of time of its own.
    init(_ transport: any ProviderTransport) { self.transport = transport }

    /// A client with the limits for providers: 2 seconds to connect, 5 seconds for a call, 256 KiB.
    static func client() throws(ConnectionError) -> HTTPClient {
        var options = HTTPClient.Options()
        options.limits.bodyBytes = 256 << 10
        options.limits.concurrentCalls = callsOfAll
        return try HTTPClient(options)
    }

    /// Calls an endpoint and reads its JSON.
    ///
    /// - Parameters:
    ///   - form: posted as `application/x-www-form-urlencoded`; nil makes a GET.
    ///   - accepted: the statuses whose body is read.
    func json(
        _ endpoint: ProviderError.Endpoint, of provider: Provider, _ url: String,
        form: [(name: String, value: String)]? = nil, headers: [String] = [], accepting accepted: Set<Int> = [200]
    ) async throws(ProviderError) -> Answer {
        let response = try await send(endpoint, of: provider, url, form: form, headers: headers)
        try Self.check(response, of: endpoint, form: form, accepting: accepted)
        guard Self.isJSON(response.values("content-type")) else {
            throw .call(endpoint, .contentType, response.values("content-type").joined(separator: ", "))
        }
        let body = try Self.decoded(response, of: endpoint)
        do {
            // One odd key must not take the others with it: ``SigningKeys`` refuses what has a name twice.
            let json = try JSONReader.readStrictly(body, keepingDuplicates: endpoint == .keys)
            return Answer(
                status: response.status, json: json, lifetime: Self.lifetime(response.values("cache-control")),
                isOverLimit: Self.isOverLimit(response))
        } catch {
            throw .call(endpoint, .json, "\(error)")
        }
    }

    /// Calls an endpoint whose body does not matter.
    func reach(
        _ endpoint: ProviderError.Endpoint, of provider: Provider, _ url: String,
        form: [(name: String, value: String)]? = nil, headers: [String] = [], accepting accepted: Set<Int> = [200]
    ) async throws(ProviderError) {
        let response = try await send(endpoint, of: provider, url, form: form, headers: headers)
        try Self.check(response, of: endpoint, form: form, accepting: accepted)
    }

    private func send(
        _ endpoint: ProviderError.Endpoint, of provider: Provider, _ url: String,
        form: [(name: String, value: String)]?, headers: [String]
    ) async throws(ProviderError) -> HTTPClient.Response {
        guard let rule = ProviderURL(provider), rule.permits(url) else {
            throw .call(endpoint, .addressRefused, "the URL is not permitted")
        }
        var request = HTTPClient.Request(url: url)
        request.allowsHTTP = rule.isLoopback
        request.addressError = rule.addressError
        // A connection that one provider may have is not for another: its address would not be checked again.
        request.reusesConnection = !rule.isLoopback && !provider.allowsPrivateAddresses
        // GitHub refuses calls without a name of the program.
        // Without Accept-Encoding a server may choose any coding (RFC 9110 12.5.3).
        request.headers =
            [
                Self.accept(endpoint), "Accept-Encoding: identity",
                "User-Agent: swift-sso/\(ProductVersion.text)",
            ] + headers
        if let form {
            request.headers.append("Content-Type: application/x-www-form-urlencoded")
            request.method = .post([UInt8](PercentCoding.query(form).utf8))
        }
        guard places.take(provider.issuer) else {
            throw .call(endpoint, .busy, "\(Self.callsPerIssuer) calls are in progress")
        }
        defer { places.giveBack(provider.issuer) }
        let response: HTTPClient.Response
        do throws(ConnectionError) {
            response = try await transport.send(request)
        } catch {
            throw .call(endpoint, Self.problem(error), "\(error)")
        }
        guard response.body.count <= Self.limit(endpoint), !response.isTruncated else {
            throw .call(endpoint, .tooLarge, "more than \(Self.limit(endpoint)) bytes")
        }
        return response
    }

    private static func problem(_ error: ConnectionError) -> ProviderError.CallError {
        switch error {
        case .timedOut: .timedOut
        case .busy: .busy
        case .tooLarge: .tooLarge
        case .addressRefused: .addressRefused
        case .certificate, .tls: .certificate
        default: .unreachable
        }
    }

    static func limit(_ endpoint: ProviderError.Endpoint) -> Int {
        switch endpoint {
        case .discovery, .token, .revocation: 64 << 10
        case .keys, .gitHubUser, .gitHubEmails: 256 << 10
        }
    }
}

/// Counts the calls in progress by issuer, so that a slow provider takes up its own places and nobody else's.
private final class IssuerPlaces: Sendable {
    private let most: Int
    private let taken = Mutex<[String: Int]>([:])

    init(_ most: Int) { self.most = most }

    /// - Returns: false when the issuer has no place left.
    func take(_ issuer: String) -> Bool {
        taken.withLock { taken in
            guard taken[issuer, default: 0] < most else { return false }
            taken[issuer, default: 0] += 1
            return true
        }
    }

    func giveBack(_ issuer: String) {
        taken.withLock { taken in
            let left = taken[issuer, default: 1] - 1
            taken[issuer] = left > 0 ? left : nil
        }
    }
}
