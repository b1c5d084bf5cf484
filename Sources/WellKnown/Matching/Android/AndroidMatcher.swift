import SSOShared

/// Decides what Android does with a link, by the rules of one assetlinks.json.
///
/// A statement with `delegate_permission/common.handle_all_urls` verifies the app for the host. The app's manifest
/// decides which paths the app then opens. Dynamic rules can narrow them.
public struct AndroidMatcher: Sendable {
    public let file: AssetLinksFile
    /// The packages with a statement of that relation, in the order of the file.
    public let apps: [String]
    /// The reason why every reader rejects the list, "LINE:COLUMN: …". `nil` if the readers accept it.
    public let refusal: String?
    /// The fingerprints of each package in a form that Android can compare.
    public let fingerprints: [String: Set<String>]
    /// Packages whose statements verify no app, with the reason.
    private let unusable: [String: String]
    private let rules: [String: DynamicMatcher]
    /// Packages that declare rules more than once. It is not defined which of them count.
    private let ambiguous: [String: [DynamicMatcher]]

    public init(_ file: AssetLinksFile) {
        self.file = file
        var apps: [String] = []
        var rules: [String: [DynamicMatcher]] = [:]
        var fingerprints: [String: Set<String>] = [:]
        var unusable: [String: String] = [:]
        refusal = FileAcceptance.androidRefusal(file.document).map { FileAcceptance.words($0, file.document) }
        for (index, statement) in file.statements.enumerated()
        where statement.relations.contains(AssetLinks.handleAllURLs) {
            guard let target = statement.target.value, target.namespace.value == "android_app",
                let package = target.packageName.value
            else { continue }
            let texts = (target.fingerprints.value ?? []).compactMap(\.string)
            let usable = texts.filter { CertificateFingerprint($0)?.description == $0 }
            guard !usable.isEmpty else {
                unusable[package] = unusable[package] ?? Self.fault(texts)
                continue
            }
            fingerprints[package, default: []].formUnion(usable)
            if rules[package] == nil { apps.append(package) }
            rules[package, default: []] += Self.rules(of: statement, index)
        }
        self.apps = apps
        self.fingerprints = fingerprints
        self.unusable = unusable
        self.rules = rules.compactMapValues(\.first)
        ambiguous = rules.filter { $0.value.count > 1 }
    }

    /// Android compares fingerprints as text.
    private static func fault(_ texts: [String]) -> String {
        guard let text = texts.first else { return "it has no certificate fingerprint" }
        return CertificateFingerprint(text) == nil
            ? "\(text.quoted) is not a SHA-256 fingerprint"
            : "\(text.quoted) is not written in upper case with colons, and Android compares the text"
    }

    public func dynamicRules(of package: String) -> DynamicMatcher? { rules[package] }

    private static func rules(of statement: AssetStatement, _ index: Int) -> [DynamicMatcher] {
        (statement.relationExtensions.value ?? []).filter { $0.relation == AssetLinks.handleAllURLs }.compactMap {
            element in
            let relation = JSONDocument.escaped(element.relation)
            let pointer = "/\(index)/relation_extensions/\(relation)/\(RelationExtension.componentsKey)"
            return DynamicMatcher(element.components, pointer: pointer, statement: index)
        }
    }

    /// The decision if the app is installed and verified. ``LinkDecision/noMatch`` for a package without a statement.
    public func decide(_ url: LinkURL, package: String) -> LinkDecision {
        guard refusal == nil, apps.contains(package) else { return .noMatch }
        return rules[package]?.decide(url) ?? .manifestDecides
    }

    /// The decision of ``decide(_:package:)`` and its reasons.
    public func explain(_ url: LinkURL, package: String) -> LinkExplanation {
        if let refusal { return LinkExplanation(.noMatch, [], "Every reader takes the list for none: \(refusal).", []) }
        if !apps.contains(package), let fault = unusable[package] {
            return LinkExplanation(.noMatch, [], "The statement for \(package) verifies nothing: \(fault).", [])
        }
        guard apps.contains(package) else {
            return LinkExplanation(.noMatch, [], "No statement of \(AssetLinks.handleAllURLs) names \(package).", [])
        }
        guard let rules = rules[package] else {
            return LinkExplanation(
                .manifestDecides, [],
                "The file verifies the app and has no dynamic rules: the app opens what its manifest says.", [])
        }
        let explanation = rules.explain(url)
        guard let other = ambiguous[package]?.lazy.map({ $0.decide(url) }).first(where: { $0 != explanation.decision })
        else { return explanation }
        let dispute = LinkDispute(
            code: "android-declared-twice", question: "Which of several lists of rules of one app counts?",
            taken: "The first", other: "Any: Google says to declare them once", otherwise: other)
        return LinkExplanation(
            explanation.decision, explanation.trials, explanation.summary, explanation.disputes + [dispute])
    }
}
