import ArgumentParser
import SSOShared
import WellKnown

/// A file with rules for links.
enum LinkSubject {
    case apple(AppleMatcher, JSONDocument)
    case android(AndroidMatcher, JSONDocument)
    /// Dynamic rules without an app.
    case rules(DynamicMatcher, JSONDocument)

    /// Detects the kind from the content: an object with services, a list of statements, or dynamic rules alone.
    ///
    /// - Throws: ``InputError`` for any other content, and for a file of another platform than `platform`.
    init(_ input: AssociationInput, platform: LinkPlatform?) throws(InputError) {
        let document = try Self.document(input)
        guard let root = document.root else { throw InputError(description: "it is empty") }
        if platform != .ios, let rules = Self.dynamicRules(root, platform) {
            self = .rules(rules, document)
        } else if platform != .ios, let file = AssetLinksFile(document) {
            self = .android(AndroidMatcher(file), document)
        } else if platform != .android, let file = AASAFile(document) {
            self = .apple(AppleMatcher(file), document)
        } else {
            let wanted =
                switch platform {
                case .ios: "an apple-app-site-association file, which is an object"
                case .android: "an assetlinks.json file, which is a list of statements, and no list of dynamic rules"
                case nil: "an association file"
                }
            throw InputError(description: "1:1: its root is \(root.typeName); it is not \(wanted)")
        }
    }

    /// Parses the text as JSON. For a signed file, parses the signed content.
    ///
    /// - Throws: ``InputError``. It distinguishes an HTML page, a compressed file and similar bodies from invalid JSON.
    private static func document(_ input: AssociationInput) throws(InputError) -> JSONDocument {
        let document = JSONReader.read(input.body)
        guard document.root == nil else { return document }
        if let project = ProjectFileKind.explanation(of: input.body) { throw InputError(description: project) }
        let report = AssociationLint.lint(body: input.body, as: input.kind ?? .aasa, options: LintOptions())
        if report.document.root != nil { return report.document }
        guard let worst = report.findings.first(where: { $0.severity == .error }) ?? report.findings.first else {
            return document
        }
        throw InputError(description: (worst.position.map { "\($0): " } ?? "") + worst.message)
    }

    /// Reads a file, `-`, a URL, or a domain. For a domain, reads the file for iOS unless `platform` is Android.
    ///
    /// - Throws: `ExitCode` 2 after a message if the input cannot be read.
    static func read(_ word: String, platform: LinkPlatform?, network: NetworkOptions) async throws -> LinkSubject {
        do {
            return try await reading(word, platform: platform, network: network)
        } catch let fault as InputError {
            StandardOutput.reportError("\(word.printable): \(fault)")
        } catch let fault as CannotCheck {
            StandardOutput.reportError("\(fault)")
        }
        throw ExitCode(2)
    }

    /// The same without a message.
    ///
    /// - Throws: ``InputError`` if the input cannot be read, ``CannotCheck`` without a network.
    static func reading(_ word: String, platform: LinkPlatform?, network: NetworkOptions) async throws -> LinkSubject {
        switch InputWord(word) {
        case .local(let name): return try LinkSubject(AssociationInput.read(name), platform: platform)
        case .remote(let target):
            let named = target.path == nil ? AssociationKind.aasa : nil
            let kind = platform.map { $0 == .ios ? AssociationKind.aasa : .assetlinks } ?? named
            guard let input = await RemoteInput.fetch(target, kind: kind, client: try network.client()).first
            else { throw InputError(description: "there is nothing to fetch") }
            guard let body = input.seen.body else { throw InputError(description: input.trouble) }
            let fetched = AssociationInput(name: input.seen.url, body: body, kind: input.kind)
            return try LinkSubject(fetched, platform: platform)
        }
    }

    /// Reads `{"dynamic_app_link_components": […]}`, or only the list in it.
    private static func dynamicRules(_ root: JSONNode, _ platform: LinkPlatform?) -> DynamicMatcher? {
        if root["applinks"] == nil, let rules = DynamicMatcher(declaredIn: root) { return rules }
        guard let items = root.array, !items.isEmpty else { return nil }
        let isRules = items.allSatisfy { item in
            guard let members = item.object else { return false }
            return members.allSatisfy { DynamicComponent.keys.contains($0.key) }
                && (platform == .android || !members.isEmpty)
        }
        return isRules ? DynamicMatcher(items.map(DynamicComponent.init)) : nil
    }

    /// The reason why the systems reject the file although this program can parse it.
    var refusal: String? {
        switch self {
        case .apple(let matcher, _): matcher.refusal
        case .android(let matcher, _): matcher.refusal
        case .rules: nil
        }
    }

    var platform: LinkPlatform { if case .apple = self { .ios } else { .android } }

    var apps: [String] {
        switch self {
        case .apple(let matcher, _): matcher.apps
        case .android(let matcher, _): matcher.apps
        case .rules: []
        }
    }

    /// - Parameters:
    ///   - link: the link, or `nil` for another scheme, which no app opens as a link.
    ///   - onlyDeciding: whether only the deciding app explains its answer. Explanations take more time.
    func answers(_ link: LinkURL?, typed: String, app: String?, onlyDeciding: Bool) -> LinkAnswers {
        var asked: [String?] = app.map { [$0] } ?? (apps.isEmpty ? [nil] : apps.map { $0 })
        if onlyDeciding, asked.count > 1, let link {
            let answers = asked.map { answer(link, $0) }
            let index =
                answers.firstIndex { $0.verdict == .opens } ?? answers.firstIndex { $0.verdict == .notDecided }
                ?? answers.firstIndex { $0.decision == .excluded } ?? 0
            asked = [asked[index]]
        }
        let list = asked.map { name in
            LinkAnswer(
                app: name, explanation: name == nil && !isRules ? nil : link.map { explanation($0, name) },
                stranger: name.flatMap(stranger),
                summary: link == nil
                    ? "Only http and https addresses are links of a host."
                    : refusal.map { "The systems refuse the file: \($0)." } ?? nobody)
        }
        return LinkAnswers(url: link?.description ?? typed, platform: platform, document: document, all: list)
    }

    /// The answer for a link to another host than the file's host. Each host has its own file, also `www.`.
    func foreign(_ link: LinkURL, asked host: String) -> LinkAnswers {
        let path = platform == .ios ? "/.well-known/apple-app-site-association" : AssetLinks.path
        let isBelow = link.host.hasSuffix("." + host)
        let answer = LinkAnswer(
            app: nil, explanation: nil,
            summary: "For this link the system asks https://\(link.host)\(path), and not \(host)."
                + (isBelow ? " Only an app that names *.\(host) goes by the file of \(host)." : ""), isDecided: false)
        return LinkAnswers(url: link.description, platform: platform, document: document, all: [answer])
    }

    private var isRules: Bool { if case .rules = self { true } else { false } }

    /// For an app that the file does not name: a remark with the apps that it names.
    private func stranger(_ app: String) -> String? {
        guard !isRules, refusal == nil, !apps.isEmpty, !apps.contains(app) else { return nil }
        if let near = apps.first(where: { $0.hasSuffix("." + app) }) {
            return "The file names \(near): on iOS an app is named with its prefix."
        }
        return "The file names \(apps.listed())."
    }

    private var nobody: String {
        platform == .ios
            ? "No entry of applinks.details names an app."
            : "No statement of \(AssetLinks.handleAllURLs) verifies an app."
    }

    /// The decision of an app without its explanation, which takes more time.
    private func answer(_ link: LinkURL, _ app: String?) -> (decision: LinkDecision, verdict: LinkVerdict) {
        let decision: LinkDecision
        var isGivenUp = false
        switch self {
        case .apple(let matcher, _): (decision, isGivenUp) = matcher.answer(link, app: app ?? "")
        case .android(let matcher, _): decision = matcher.decide(link, package: app ?? "")
        case .rules(let matcher, _): decision = matcher.decide(link)
        }
        return (decision, LinkVerdict(decision, isDecided: !isGivenUp))
    }

    private func explanation(_ link: LinkURL, _ app: String?) -> LinkExplanation {
        switch self {
        case .apple(let matcher, _): matcher.explain(link, app: app ?? "")
        case .android(let matcher, _): matcher.explain(link, package: app ?? "")
        case .rules(let matcher, _): matcher.explain(link)
        }
    }

    private var document: JSONDocument {
        switch self {
        case .apple(_, let document), .android(_, let document), .rules(_, let document): document
        }
    }
}
