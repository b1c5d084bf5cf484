/// The differences between two versions of a file, with sample URLs.
///
/// For each app and each change of decision, reports the shortest URL. It is computed from the rules of both files and
/// checked by both matchers. The host is a placeholder: it is not part of the rules.
public struct LinkDiff: Sendable {
    public struct Change: Sendable, Hashable {
        /// The app id or the package name.
        public let app: String
        public let old: LinkDecision
        public let new: LinkDecision
        public let witness: LinkURL

        /// Whether both decisions come from the rules of a file and not from a manifest.
        fileprivate var isAmongRules: Bool { old != .manifestDecides && new != .manifestDecides }
    }

    /// The changes, sorted by app in the order of the files and then by decision.
    public private(set) var changes: [Change]
    public let addedApps: [String]
    public let removedApps: [String]
    /// Packages whose certificates differ. An app that is signed with a removed certificate opens no link.
    public var changedCertificates: [String] = []
    /// Apps whose rules are too large to compare within the limits. They may have more changes.
    public let notDecided: [String]
    /// Android only: links that change between "excluded" and "no match". They open the browser before and after.
    public var unopened: [Change] = []
    /// Open questions with whose other answer the two files would decide the link differently.
    public var disputes: [Dispute] = []

    /// An open question about the decision of one of the two files.
    public struct Dispute: Sendable, Hashable {
        /// Which of the two files the question is about.
        public enum Side: String, Sendable, Hashable, CaseIterable { case old, new }

        public let side: Side
        public let app: String
        /// A link whose decision depends on the answer.
        public let witness: LinkURL
        public let dispute: LinkDispute
    }

    /// Whether it is certain that no decision differs.
    public var isEmpty: Bool {
        changes.isEmpty && notDecided.isEmpty && addedApps.isEmpty && removedApps.isEmpty && changedCertificates.isEmpty
    }

    /// The work limit, after which the answer is "not decided", in the units of ``RuleCoverage/Limits``.
    public struct Limits: Sendable {
        public let perApp: Int
        public let total: Int

        public init(perApp: Int = 2_000_000, total: Int = 2_000_000) { (self.perApp, self.total) = (perApp, total) }

        /// The limits for interactive use: two seconds at most.
        public static let patient = Limits(perApp: 40_000_000, total: 200_000_000)
    }

    public static func between(_ old: AppleMatcher, _ new: AppleMatcher, limits: Limits = Limits()) -> LinkDiff {
        var known: [[[Int]]: Comparison.Outcome] = [:]
        var left = limits.total
        return of(old.apps, new.apps) { app in
            // Apps with the same entries in both files have the same differences.
            let key = [old.entriesOfApp[app] ?? [], new.entriesOfApp[app] ?? []]
            if let outcome = known[key] { return outcome }
            let (rules, spaces) = linkRules(old, new, app: app)
            let outcome = Comparison(rules.old, rules.new, spaces).run(limit: limits.perApp, &left)
            known[key] = outcome
            return outcome
        }
    }

    public static func between(_ old: AndroidMatcher, _ new: AndroidMatcher, limits: Limits = Limits()) -> LinkDiff {
        var left = limits.total
        var diff = of(old.apps, new.apps) { app in
            let spaces = LinkSpaces(isDecoded: true, tellsAbsent: true)
            return Comparison(old.linkRules(of: app, in: spaces), new.linkRules(of: app, in: spaces), spaces)
                .run(limit: limits.perApp, &left)
        }
        diff.changedCertificates = old.apps.filter { app in
            new.fingerprints[app].map { $0 != old.fingerprints[app] } ?? false
        }
        // On Android no later app and no other file gets a link that a rule excludes.
        let isUnopened = { (change: Change) in change.old != .opens && change.new != .opens && change.isAmongRules }
        diff.unopened = diff.changes.filter(isUnopened)
        diff.changes.removeAll(where: isUnopened)
        return diff
    }

    /// The rules of an app in both files, in the same spaces.
    static func linkRules(
        _ old: AppleMatcher, _ new: AppleMatcher, app: String
    ) -> (rules: (old: LinkRules, new: LinkRules), spaces: LinkSpaces) {
        let isDecoded = (old.orderedRules(of: app) + new.orderedRules(of: app)).first?.rule.reading.contains(.decoded)
        let spaces = LinkSpaces(isDecoded: isDecoded ?? false, tellsAbsent: false)
        let rules = (
            old: old.refusal == nil ? old.linkRules(of: app, in: spaces, name: "old") : LinkRules.none,
            new: new.refusal == nil ? new.linkRules(of: app, in: spaces, name: "new") : LinkRules.none
        )
        return (rules, spaces)
    }

    private static func of(_ old: [String], _ new: [String], _ compare: (String) -> Comparison.Outcome) -> LinkDiff {
        let olds = Set(old)
        let news = Set(new)
        var changes: [Change] = []
        var notDecided: [String] = []
        for app in (old + new).uniqued(by: { $0 }) {
            let outcome = compare(app)
            changes += outcome.changes.map { Change(app: app, old: $0.old, new: $0.new, witness: $0.witness) }
            if !outcome.isComplete { notDecided.append(app) }
        }
        return LinkDiff(
            changes: changes, addedApps: new.filter { !olds.contains($0) },
            removedApps: old.filter { !news.contains($0) }, notDecided: notDecided)
    }
}

extension AndroidMatcher {
    func linkRules(of package: String, in spaces: LinkSpaces) -> LinkRules {
        guard refusal == nil else { return .none }
        if let rules = dynamicRules(of: package) { return rules.linkRules(in: spaces) }
        return LinkRules([], fallback: apps.contains(package) ? .manifestDecides : .noMatch) { _, _ in nil }
    }
}
