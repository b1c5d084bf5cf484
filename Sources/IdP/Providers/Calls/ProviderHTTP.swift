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
        let isOverLimit =
            response.values("x-ratelimit-remaining") == ["0"] || !response.values("retry-after").isEmpty
        guard accepted.contains(response.status) else {
            throw .call(endpoint, status: response.status, isOverLimit: isOverLimit)
        }
        guard Self.isJSON(response.values("content-type")) else {
            throw .call(endpoint, .contentType, response.values("content-type").joined(separator: ", "))
        }
        do {
            let json = try JSONReader.readStrictly(response.body)
            return Answer(
                status: response.status, json: json, lifetime: Self.lifetime(response.values("cache-control")),
                isOverLimit: isOverLimit)
        } catch {
            throw .call(endpoint, .json, "\(error)")
        }
    }

    /// Calls an endpoint whose body does not matter. Returns the status.
    func status(
        _ endpoint: ProviderError.Endpoint, of provider: Provider, _ url: String,
        form: [(name: String, value: String)]? = nil, headers: [String] = []
    ) async throws(ProviderError) -> Int {
        try await send(endpoint, of: provider, url, form: form, headers: headers).status
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
                "Accept: application/json", "Accept-Encoding: identity",
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
        let codings = response.values("content-encoding").filter { $0.lowercased() != "identity" }
        guard codings.isEmpty else {
            throw .call(endpoint, .contentEncoding, codings.joined(separator: ", "))
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

    private static func limit(_ endpoint: ProviderError.Endpoint) -> Int {
        switch endpoint {
        case .discovery, .token, .revocation: 64 << 10
        case .keys, .gitHubUser, .gitHubEmails: 256 << 10
        }
    }

    /// `application/json` or a type with the suffix `+json` (RFC 6839 3.1), exactly once.
    private static func isJSON(_ values: [String]) -> Bool {
        guard values.count == 1 else { return false }
        let type = values[0].utf8.prefix { $0 != UInt8(ascii: ";") }.filter { $0 != 0x20 && $0 != 0x09 }
            .map(\.asciiLowercased)
        return type.elementsEqual("application/json".utf8)
            || (type.starts(with: "application/".utf8) && type.suffix(5).elementsEqual("+json".utf8))
    }

    /// From 5 minutes to 24 hours, one hour without a `max-age`: a provider must be able neither to have us call for each
    /// visitor, nor to keep a withdrawn key alive.
    static func lifetime(_ cacheControl: [String]) -> Duration {
        var seconds: Int?
        for part in cacheControl.joined(separator: ",").lowercased().split(separator: ",") {
            let directive = part.drop { $0 == " " }
            if directive.hasPrefix("no-store") || directive.hasPrefix("no-cache") { return .minutes(5) }
            guard directive.hasPrefix("max-age=") else { continue }
            let digits = directive.dropFirst("max-age=".count).prefix { $0 != " " }
            guard !digits.isEmpty, digits.utf8.allSatisfy(\.isASCIIDigit) else { continue }
            // More digits than an Int holds are a long time.
            seconds = min(seconds ?? .max, Int(digits) ?? .max)
        }
        guard let seconds else { return .hours(1) }
        return .seconds(min(max(seconds, 300), 86400))
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

/// Which URLs and addresses a provider may have.
struct ProviderURL: Sendable {
    /// The issuer's own host is this machine: a trial or a test.
    let isLoopback: Bool
    private let allowsPrivate: Bool

    /// nil when the issuer is not a URL.
    init?(_ provider: Provider) {
        guard let issuer = try? WebURL(provider.issuer) else { return nil }
        isLoopback = issuer.authority.isLoopback
        allowsPrivate = provider.allowsPrivateAddresses
    }

    /// Whether a URL from a document of the provider may be used: https, or http where both it and the issuer are this
    /// machine; no user name, no fragment.
    func permits(_ text: String) -> Bool {
        guard text.utf8.count <= 2048, let url = try? WebURL(text), !url.rest.utf8.contains(UInt8(ascii: "#")) else {
            return false
        }
        guard url.authority.isLoopback else { return url.isHTTPS }
        // Another server's document must not lead this program to services on this machine.
        return isLoopback || (allowsPrivate && url.isHTTPS)
    }

    /// Refuses addresses that are not public, unless the settings permit them. Checked for each connection, because DNS may
    /// change its answer.
    var addressError: (@Sendable ([UInt8]) -> String?)? {
        if allowsPrivate { return nil }
        let isLoopback = isLoopback
        return { octets in
            let kind = ReservedAddress.kind(of: octets)
            return isLoopback && kind == "loopback" ? nil : kind
        }
    }
}
