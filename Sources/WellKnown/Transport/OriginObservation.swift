/// All requests to a site for one file, with the responses. `nil` means that the request was not made.
public struct OriginObservation: Sendable {
    /// One step of a redirect.
    public struct Hop: Sendable, Hashable {
        public let from: String
        /// The target as the server sent it, or completed to a full URL.
        public let to: String
        public let status: Int

        public init(from: String, to: String, status: Int) {
            self.from = from
            self.to = to
            self.status = status
        }
    }

    /// The response of another host or another path.
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
    /// The response to a request like that of the system: the same user agent, no redirects, no compression.
    public let main: HTTPOutcome
    /// The response to the first of two such requests, if it timed out. ``main`` is then that to the second.
    public var first: HTTPOutcome?
    /// The steps of a redirect, at most five.
    public var hops: [Hop] = []
    /// The response to a request like that of a browser, with compression.
    public var browser: HTTPOutcome?
    /// The response to HEAD instead of GET.
    public var head: HTTPOutcome?
    public var overIPv4: HTTPOutcome?
    public var overIPv6: HTTPOutcome?
    /// The response for the same path over http. Requested if https fails.
    public var plain: HTTPOutcome?
    /// The response for the same file name in the root, the file's place until 2019.
    public var atRoot: HTTPOutcome?
    /// The responses for paths that are used by mistake. Requested if the file is missing.
    public var misnamed: [Other] = []
    /// The response of the host with `www.` added or removed.
    public var sibling: Other?
    /// The response of the parent domain.
    public var parent: Other?

    public init(file: AssociationKind, url: String, main: HTTPOutcome) {
        self.file = file
        self.url = url
        self.main = main
    }

    /// The body, if the systems would accept it.
    public var body: [UInt8]? {
        guard case .success(let answer) = main, answer.status == 200, !answer.isTruncated else { return nil }
        return answer.body
    }

    /// Whether the check has a result. False if this machine could not connect to the site.
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
    /// The path from which the systems request the file.
    public var path: String { "/.well-known/\(fileName)" }

    /// The user agent that requests the file for the system, as in server logs.
    public var userAgent: String { self == .aasa ? "AASA-Bot/1.0.0" : "GoogleAssociationService" }

    /// Paths at which the file is sometimes published, but which no system requests.
    public var wrongPaths: [String] {
        self == .aasa
            ? ["/.well-known/apple-app-site-association.json", "/apple-app-site-association.json"]
            : ["/assetlinks.json", "/.well-known/assetlinks", "/.well-known/.assetlinks.json"]
    }
}
