/// All requests to a site about one file, with the answers. `nil` means not requested.
public struct OriginObservation: Sendable {
    /// One step of a redirect.
    public struct Hop: Sendable, Hashable {
        public let from: String
        /// As the server wrote it, or completed to a full address.
        public let to: String
        public let status: Int

        public init(from: String, to: String, status: Int) {
            self.from = from
            self.to = to
            self.status = status
        }
    }

    /// The answer of another name or another path.
    public struct Other: Sendable {
        /// A host, or a path.
        public let name: String
        public let outcome: HTTPOutcome

        public init(name: String, outcome: HTTPOutcome) {
            self.name = name
            self.outcome = outcome
        }
    }

    public let file: AssociationKind
    public let url: String
    /// Asked as the system's own fetcher asks: its user agent, no redirects, nothing compressed.
    public let main: HTTPOutcome
    /// Where a redirect leads, step by step; at most five.
    public var hops: [Hop] = []
    /// As a browser asks, compressed answers welcome.
    public var browser: HTTPOutcome?
    /// HEAD instead of GET.
    public var head: HTTPOutcome?
    public var overIPv4: HTTPOutcome?
    public var overIPv6: HTTPOutcome?
    /// The same path over http, asked when https fails.
    public var plain: HTTPOutcome?
    /// The same name at the root, where it was until 2019.
    public var atRoot: HTTPOutcome?
    /// Paths that people use by mistake, asked when the right one is missing.
    public var misnamed: [Other] = []
    /// The host with `www.` or without.
    public var sibling: Other?
    /// The next domain up.
    public var parent: Other?

    public init(file: AssociationKind, url: String, main: HTTPOutcome) {
        self.file = file
        self.url = url
        self.main = main
    }

    /// The body, when the systems would read it.
    public var body: [UInt8]? {
        guard case .success(let answer) = main, answer.status == 200, !answer.isTruncated else { return nil }
        return answer.body
    }

    /// Whether anything can be said about the site: false when this machine never reached it.
    public var isChecked: Bool {
        switch main {
        case .success, .failure(.privateAddress), .failure(.timedOut), .failure(.certificate), .failure(.tls),
            .failure(.malformed):
            true
        case .failure(.noSuchHost), .failure(.notConnected), .failure(.noRoute), .failure(.impossible): false
        }
    }
}

extension AssociationKind {
    /// Where the systems ask for it.
    public var path: String {
        switch self {
        case .aasa: "/.well-known/apple-app-site-association"
        case .assetlinks: AssetLinks.path
        }
    }

    /// The user agent that asks for it on the system's behalf, as site owners see it in their logs.
    public var userAgent: String {
        switch self {
        case .aasa: "AASA-Bot/1.0.0"
        case .assetlinks: "GoogleAssociationService"
        }
    }

    /// Paths at which the file is sometimes published, but which no system requests.
    public var wrongPaths: [String] {
        switch self {
        case .aasa: ["/.well-known/apple-app-site-association.json", "/apple-app-site-association.json"]
        case .assetlinks: ["/assetlinks.json", "/.well-known/assetlinks", "/.well-known/.assetlinks.json"]
        }
    }
}
