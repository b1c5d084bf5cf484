/// What two versions of a file decide differently, with addresses that show it.
///
/// For each app and each change of decision, the shortest address, found from the rules of both files and decided by both
/// matchers before it is named. The host is a placeholder: it is no part of the rules.
public struct LinkDiff: Sendable {
    public struct Change: Sendable, Hashable {
        /// The app id, or the package.
        public let app: String
        public let old: LinkDecision
        public let new: LinkDecision
        public let witness: LinkURL
    }

    /// By app in the order of the files, then by decision.
    public let changes: [Change]
    public let addedApps: [String]
    public let removedApps: [String]
    /// Packages whose statements name other certificates: an app signed with one that is gone opens nothing.
    public var changedCertificates: [String] = []
    /// Apps whose rules are too large to compare in bounded time: there may be more changes than are named.
    public let notDecided: [String]

    /// No address is decided otherwise, for certain.
    public var isEmpty: Bool {
        changes.isEmpty && notDecided.isEmpty && addedApps.isEmpty && removedApps.isEmpty && changedCertificates.isEmpty
    }

    /// How much work is done before the answer is "not decided", in the units of ``RuleReach/Limits``.
    public struct Limits: Sendable {
        /// For one app.
        public var perApp = 2_000_000
        /// And for all apps.
        public var total = 2_000_000

        public init() {}

        /// For one who waits for the answer: a second or two at most.
        public static var patient: Limits {
            var limits = Limits()
            limits.perApp = 40_000_000
            limits.total = 200_000_000
            return limits
        }
    }

    public static func between(_ old: AppleMatcher, _ new: AppleMatcher, limits: Limits = Limits()) -> LinkDiff {
        var known: [[[Int]]: Comparison.Outcome] = [:]
        var left = limits.total
        return of(old.apps, new.apps) { app in
            // Apps with the same entries in both files differ in the same addresses.
            let key = [old.entriesOfApp[app] ?? [], new.entriesOfApp[app] ?? []]
            if let outcome = known[key] { return outcome }
            let isDecoded = (old.orderedRules(of: app) + new.orderedRules(of: app)).first?.rule.reading.contains(
                .decoded)
            let spaces = LinkSpaces(isDecoded: isDecoded ?? false, tellsAbsent: false)
            let outcome = Comparison(
                old.refusal == nil ? old.linkRules(of: app, in: spaces, name: "old") : LinkRules.none,
                new.refusal == nil ? new.linkRules(of: app, in: spaces, name: "new") : LinkRules.none, spaces
            ).run(limit: limits.perApp, &left)
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
        return diff
    }

    private static func of(_ old: [String], _ new: [String], _ compare: (String) -> Comparison.Outcome) -> LinkDiff {
        let olds = Set(old)
        let news = Set(new)
        var changes: [Change] = []
        var notDecided: [String] = []
        for app in old + new.filter({ !olds.contains($0) }) {
            let outcome = compare(app)
            changes += outcome.changes.map { Change(app: app, old: $0.old, new: $0.new, witness: $0.witness) }
            if !outcome.isComplete { notDecided.append(app) }
        }
        return LinkDiff(
            changes: changes, addedApps: new.filter { !olds.contains($0) },
            removedApps: old.filter { !news.contains($0) },
            notDecided: notDecided)
    }
}

extension AndroidMatcher {
    fileprivate func linkRules(of package: String, in spaces: LinkSpaces) -> LinkRules {
        guard refusal == nil else { return .none }
        if let rules = dynamicRules(of: package) { return rules.linkRules(in: spaces) }
        return LinkRules([], fallback: apps.contains(package) ? .manifestDecides : .noMatch) { _ in nil }
    }
}
