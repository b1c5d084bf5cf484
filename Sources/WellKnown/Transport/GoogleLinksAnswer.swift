public import SSOShared

/// The response of Google's Digital Asset Links service for a site.
///
/// Source: https://developers.google.com/digital-asset-links/reference/rest/v1
public enum GoogleLinksAnswer: Sendable {
    /// The response of `statements:list`, of `assetlinks:check`, or of both.
    case answer(statements: [JSONNode], linked: Bool?, errorCodes: [String], maxAge: String?)
    /// The service rejected the request. `message` is the service's text.
    case refused(status: Int, message: String)
    case unreachable(HTTPFetchError)

    public init(_ outcome: HTTPOutcome) {
        switch outcome {
        case .failure(let failure): self = .unreachable(failure)
        case .success(let answer):
            let root = JSONReader.read(answer.body).root
            guard answer.status == 200 else {
                let message = root?["error"]?["message"]?.string ?? "no message"
                self = .refused(status: answer.status, message: message)
                return
            }
            guard let root, root.object != nil else {
                self = .unreachable(.malformed("the answer is not a JSON object"))
                return
            }
            self = .answer(
                statements: root["statements"]?.array ?? [], linked: root["linked"]?.bool,
                errorCodes: (root["errorCode"] ?? root["error_code"])?.array?.compactMap(\.string) ?? [],
                maxAge: (root["maxAge"] ?? root["max_age"])?.string)
        }
    }

    /// The seconds for which Google keeps this answer: `maxAge`, such as "599.9s". `nil` if it does not say.
    public var secondsLeft: Int? {
        guard case .answer(_, _, _, let maxAge?) = self, maxAge.hasSuffix("s"), let seconds = Double(maxAge.dropLast()),
            (0...1e9).contains(seconds)
        else { return nil }
        return Int(seconds.rounded(.up))
    }

    /// Whether Google's copy of the list lacks a statement that the site makes.
    public func lacks(_ link: AssetLink) -> Bool {
        guard case .answer(let statements, _, _, _) = self else { return false }
        return !statements.compactMap(AssetLink.Identity.init).contains(link.identity)
    }

    /// - Parameters:
    ///   - origin: the statements that our own client reads from the site. `nil` if it could not read them.
    ///   - expiry: the time at which Google's copy expires, as text. `nil` if it is unknown.
    public func findings(origin: [AssetLink]?, url: String, expiry: String? = nil) -> [Finding] {
        let findings: [Finding]
        switch self {
        case .answer(let statements, _, let codes, _):
            findings =
                Self.errors(codes, hasStatements: !statements.isEmpty) + Self.drift(statements, origin, codes, expiry)
        case .refused(let status, let message):
            // Only status 400 is about the site. A rate limit, a proxy's page or an outage is not.
            let rule = status == 400 ? TransportRules.dalError : TransportRules.dalUnreachable
            findings = [Finding(rule, "Google's service answers \(status): \(message.quoted).")]
        case .unreachable(let failure):
            let message = "Google's service could not be asked: \(failure.words)."
            findings = [Finding(TransportRules.dalUnreachable, message)]
        }
        return findings.of(url)
    }

    /// Returns a finding if Google does not confirm a statement that the site makes.
    public func notLinkedFinding(_ link: AssetLink, url: String) -> Finding? {
        guard case .answer(_, let linked, _, _) = self, linked != true,
            case .androidApp(let package, let fingerprint) = link.target
        else { return nil }
        return Finding(
            TransportRules.dalNotLinked,
            "Google does not link \(package.quoted) with certificate \(fingerprint.prefix(11))… for \(link.relation).",
            file: url)
    }

    private static func errors(_ codes: [String], hasStatements: Bool) -> [Finding] {
        codes.map { code in
            let name = code.hasPrefix("ERROR_CODE_") ? String(code.dropFirst("ERROR_CODE_".count)) : code
            let meaning = meanings[name].map { ": \($0)" } ?? ""
            return Finding(
                TransportRules.dalError, "Google's service reports \(name)\(meaning).",
                severity: hasStatements ? .warning : .error)
        }
    }

    private static func drift(
        _ statements: [JSONNode], _ origin: [AssetLink]?, _ codes: [String], _ expiry: String?
    ) -> [Finding] {
        // An error of Google's own request explains an empty answer, and has a finding.
        guard let origin, !statements.isEmpty || codes.isEmpty else { return [] }
        let theirs = Set(statements.compactMap(AssetLink.Identity.init))
        let ours = Set(origin.map(\.identity))
        guard theirs != ours else { return [] }
        let (missing, extra) = (ours.subtracting(theirs).count, theirs.subtracting(ours).count)
        let end = expiry.map { " It expires at \($0); until then Google answers from it." } ?? ""
        let message =
            "Google's copy is another version: it lacks \(missing) statement\(missing == 1 ? "" : "s") of the site's and "
            + "has \(extra) others.\(end)"
        return [Finding(TransportRules.dalDrift, message)]
    }

    static let meanings = [
        "INVALID_QUERY": "the request was not understood", "FETCH_ERROR": "the file could not be fetched, or is empty",
        "FAILED_SSL_VALIDATION": "the certificate is not trusted", "REDIRECT": "the file or an include redirects",
        "TOO_LARGE": "the file is too large", "MALFORMED_HTTP_RESPONSE": "the answer was no HTTP",
        "WRONG_CONTENT_TYPE": "the file is not served as application/json",
        "MALFORMED_CONTENT": "the JSON or a statement is ill-formed",
        "SECURE_ASSET_INCLUDES_INSECURE": "a list over https includes one over http",
        "FETCH_BUDGET_EXHAUSTED": "too many includes, or a loop of them",
    ]
}

extension AssetLink.Identity {
    /// Reads a statement of the API. Returns `nil` if a part is missing or ill-formed.
    init?(_ node: JSONNode) {
        guard let source = node["source"].flatMap({ AssetQuery.asset($0).asset }),
            let target = node["target"].flatMap({ AssetQuery.asset($0).asset }), let relation = node["relation"]?.string
        else { return nil }
        self.init(source: source, relation: relation, target: target)
    }
}

/// Findings about the included lists of an assetlinks.json. The linter reports errors of the list itself.
public enum IncludeFindings {
    /// - Parameter url: the URL of the list itself.
    public static func findings(_ answer: AssetAnswer, url: String) -> [Finding] {
        var findings = answer.errors.compactMap { finding($0, url) }
        if answer.depth > 1 {
            findings.append(
                Finding(
                    StatementRules.includeDepth,
                    "Lists are included over \(answer.depth) steps; Android's own verifier goes one.", file: url))
        }
        return findings
    }

    private static func finding(_ error: AssetError, _ url: String) -> Finding? {
        switch error.code {
        case .fetchBudgetExhausted:
            let isLoop = error.message.hasPrefix(StatementCrawl.loopWords)
            return Finding(
                isLoop ? StatementRules.includeLoop : StatementRules.includeBudget, error.message, file: error.place)
        case .invalidQuery: return nil
        // The linter reports an http list inside another list at its position.
        case .secureAssetIncludesInsecure where error.place == url: return nil
        default:
            guard let place = error.place, place != url else { return nil }
            return Finding(TransportRules.dalIncludeFailed, error.message, file: place)
        }
    }
}
