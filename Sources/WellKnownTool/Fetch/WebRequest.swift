import WellKnown

/// One request to make.
struct WebRequest: Sendable {
    enum Family: Sendable {
        case any, ipv4, ipv6
    }

    var url: String
    var userAgent = WebRequest.browser
    var isHead = false
    var family = Family.any
    /// Asks for compressed answers and unpacks them.
    var isCompressed = false
    /// Whether a private or reserved address may be connected to.
    var allowsPrivate = false
    /// The files themselves are looked at over http only to say that nobody else does.
    var allowsHTTP = false
    /// Further header lines, `Name: value`. Not for what comes out of files.
    var headers: [String] = []
    /// Posted when there is one; then it is no GET.
    var posted: [UInt8]?

    /// As a browser says it.
    static let browser =
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36"
}

/// What is the same for all requests of a run.
struct WebSettings: Sendable {
    /// For a whole request, the last byte included. Android's verifier gives five seconds.
    var timeLimit: Duration = .seconds(5)
    /// The most that is read of a body: what the most patient reader takes, and one byte to see that there was more.
    var largestBody = 1 << 20
    /// Trusted beside the system's authorities; `nil` for those alone.
    var caFile: String?
    /// `host:port:address` entries that stand in for DNS.
    var resolve: [String] = []
    /// Whether the site may be at a private or reserved address.
    var allowsPrivate = false
}
