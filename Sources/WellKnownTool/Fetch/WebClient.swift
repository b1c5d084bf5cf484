import SSOShared
import WellKnown

/// One HTTP request of the tool.
struct WebRequest: Sendable {
    var url: String
    var userAgent = WebRequest.browser
    var isHead = false
    var family = HTTPClient.Request.AddressFamily.any
    /// Requests a compressed response and decompresses it.
    var isCompressed = false
    /// Permits connections to private and reserved addresses, also where the settings do not.
    var allowsPrivate = false
    /// Permits http. Used to report a file that is served over http only.
    var allowsHTTP = false
    /// Further header lines, `Name: value`. Must not contain text from files.
    var headers: [String] = []
    /// The body of a POST request; `nil` for GET and HEAD.
    var posted: [UInt8]?

    /// The user agent of a common browser.
    static let browser =
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36"
}

struct WebSettings: Sendable {
    /// The time limit for the whole request. Android's verifier waits five seconds.
    var timeLimit: Duration = .seconds(5)
    /// The maximum size of a body in bytes. No reader accepts a larger body.
    var largestBody = 1 << 20
    /// Additional trusted certificates besides those of the system.
    var caFile: String?
    /// `host:port:address` entries that replace DNS.
    var resolve: [String] = []
    /// Whether the site may have a private or reserved address.
    var allowsPrivate = false
}

/// Sends requests like the readers of association files: https, checked certificate, no redirects, proxy or reuse.
struct WebClient: Sendable {
    let settings: WebSettings
    private let client: HTTPClient

    /// - Returns: `nil` if libcurl cannot be initialised.
    init?(_ settings: WebSettings) {
        var options = HTTPClient.Options()
        options.limits = HTTPLimits(
            connect: settings.timeLimit, call: settings.timeLimit, queue: settings.timeLimit,
            bodyBytes: settings.largestBody, headerBytes: 1 << 16)
        options.caFile = settings.caFile
        options.resolve = settings.resolve
        options.truncatesBodies = true
        options.usesHTTP2 = true
        guard let client = try? HTTPClient(options) else { return nil }
        self.client = client
        self.settings = settings
    }

    func ask(_ request: WebRequest) async -> HTTPOutcome {
        var call = HTTPClient.Request(url: request.url)
        call.method = request.posted.map { .post($0) } ?? (request.isHead ? .head : .get)
        call.headers = ["User-Agent: \(request.userAgent)"] + request.headers
        call.allowsHTTP = request.allowsHTTP
        call.addressFamily = request.family
        call.acceptsCompression = request.isCompressed
        call.reusesConnection = false
        if !request.allowsPrivate, !settings.allowsPrivate { call.addressError = { ReservedAddress.kind(of: $0) } }
        do throws(ConnectionError) {
            let response = try await client.send(call)
            return .success(
                HTTPAnswer(
                    status: response.status, headers: response.headers, body: response.body,
                    isTruncated: response.isTruncated, address: response.address,
                    milliseconds: response.duration.wholeMilliseconds))
        } catch {
            return .failure(failure(error))
        }
    }

    private func failure(_ error: ConnectionError) -> HTTPFetchError {
        switch error {
        case .addressRefused(let list): .privateAddress(list)
        case .nameNotFound: .noSuchHost
        case .timedOut: .timedOut(milliseconds: settings.timeLimit.wholeMilliseconds)
        case .notConnected(let text), .other(let text): .notConnected(text)
        case .noRoute(let text): .noRoute(text)
        case .certificate(let text): .certificate(text)
        case .tls(let text): .tls(text)
        case .malformed(let text): .malformed(text)
        case .impossible(let text): .impossible(text)
        case .tooLarge, .busy, .cancelled, .closed: .impossible(error.description)
        }
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int {
        Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000)
    }
}
