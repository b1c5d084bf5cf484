import SSOShared

/// Decides what Android does with a link, by an app's manifest and the assetlinks.json of the link's host.
///
/// The manifest says which links the app accepts. The file lets Android verify that the app belongs to the host. Since
/// Android 15, dynamic rules in the file narrow what the manifest accepts. Versions of Android differ, so the decision is
/// made for each.
///
/// Sources: Android, "Verify Android App Links", "Web intent resolution" (Android 12), "Configure Dynamic App Links",
/// "`<intent-filter>`"; AOSP, `DomainVerificationCollector`, `IntentFilter`.
public struct AndroidAppMatcher: Sendable {
    /// The decision on a range of versions.
    public struct VersionDecision: Sendable {
        /// The API levels. The last range ends with ``AndroidVersion/latest`` and also means later ones.
        public fileprivate(set) var sdks: ClosedRange<Int>
        public let decision: LinkDecision
        /// The deciding filter or reason, in one sentence.
        public let summary: String
        /// Whether the inputs say what happens.
        public let isDecided: Bool
        /// Whether Android asks the user which app or browser opens the link.
        public let asks: Bool
        /// The filter that gets the link, if one matches.
        public let filter: IntentFilter?
        public let trials: [FilterTrial]
        /// The answer of the host's file, if it was consulted.
        public let file: LinkExplanation?

        /// The versions in words, for example "Android 12 to 14".
        public var versions: String {
            let isNewest = sdks.upperBound == AndroidVersion.latest
            let first = AndroidVersion.name(sdks.lowerBound)
            if isNewest { return "\(first) and later" }
            let last = AndroidVersion.name(sdks.upperBound)
            return first == last ? first : "\(first) to \(last.replacing("Android ", with: ""))"
        }
    }

    public struct FilterTrial: Sendable {
        public let filter: IntentFilter
        /// Why it does not match, as a part of a sentence. `nil` if it matches.
        public let mismatch: String?
    }

    public let filters: [IntentFilter]
    /// The host's file. `nil` if it is not available.
    public let links: AndroidMatcher?
    /// The application id.
    public let package: String
    private let ranges: [ClosedRange<Int>]
    private let matchers: [ManifestMatcher]
    private let targetSDK: Int?

    /// - Parameters:
    ///   - filters: the filters of all activities, in the order of the manifest.
    ///   - minimumSDK: the oldest API level to decide for, from 1 to ``AndroidVersion/latest``.
    ///   - targetSDK: the app's `targetSdkVersion`, or `nil` if it is unknown.
    public init(
        _ filters: [IntentFilter], links: AndroidMatcher?, package: String,
        minimumSDK: Int = AndroidVersion.verification, targetSDK: Int? = nil
    ) {
        self.filters = filters
        self.links = links
        self.package = package
        self.targetSDK = targetSDK
        let first = min(max(minimumSDK, 1), AndroidVersion.latest)
        let starts =
            [first]
            + [AndroidVersion.verification, AndroidVersion.hostsAlone, AndroidVersion.relativeGroups].filter {
                $0 > first
            }
        let ends = starts.dropFirst().map { $0 - 1 } + [AndroidVersion.latest]
        ranges = zip(starts, ends).map { $0...$1 }
        matchers = ranges.map { ManifestMatcher(filters, sdk: $0.lowerBound) }
    }

    /// The decision on each range of versions, the newest first. Neighbours with the same decision and reason are one.
    public func decisions(_ url: LinkURL) -> [VersionDecision] {
        var decisions: [VersionDecision] = []
        for (range, matcher) in zip(ranges, matchers).reversed() {
            let decision = weighed(decide(url, matcher, range), url, range)
            if let last = decisions.last, last.decision == decision.decision, last.asks == decision.asks,
                last.isDecided == decision.isDecided, last.filter == decision.filter
            {
                decisions[decisions.count - 1].sdks = range.lowerBound...last.sdks.upperBound
            } else {
                decisions.append(decision)
            }
        }
        return decisions
    }

    /// The decision on the newest version.
    public func decide(_ url: LinkURL) -> LinkDecision { decisions(url).first?.decision ?? .noMatch }

    private func decide(_ url: LinkURL, _ matcher: ManifestMatcher, _ sdks: ClosedRange<Int>) -> VersionDecision {
        let trials = matcher.filters.indices.map { index in
            FilterTrial(filter: matcher.filters[index], mismatch: matcher.mismatch(of: index, url))
        }
        guard let index = matcher.filter(for: url) else {
            return VersionDecision(
                sdks: sdks, decision: .noMatch, summary: Self.noFilter(trials, count: filters.count), isDecided: true,
                asks: false, filter: nil, trials: trials, file: nil)
        }
        let match = FilterMatch(filter: matcher.filters[index], sdks: sdks, trials: trials)
        if sdks.lowerBound >= AndroidVersion.hostsAlone, (targetSDK ?? 0) >= AndroidVersion.hostsAlone,
            match.filter.isExported == nil
        {
            return match.answer(
                .noMatch,
                ", but its activity has no android:exported: Android 12 and later refuse to install an app that targets "
                    + "API level 31 or later.")
        }
        guard sdks.lowerBound >= AndroidVersion.verification else {
            return match.answer(.noMatch, ", and Android asks the user: it does not verify links.", asks: true)
        }
        return verify(url, match)
    }

    /// Whether Android verifies the host of a link that a filter takes.
    private func verify(_ url: LinkURL, _ match: FilterMatch) -> VersionDecision {
        let verified = verifiedHosts(on: match.sdks)
        guard verified.contains(where: { $0.matches(host: url.host) }) else {
            return match.unverified("no filter with autoVerify names \(url.host).")
        }
        guard let links else {
            return match.answer(
                .manifestDecides,
                ". The assetlinks.json of \(url.host) decides whether Android verifies the app.", isDecided: false)
        }
        let file = links.explain(url, package: package)
        guard links.refusal == nil, links.apps.contains(package) else {
            return match.unverified("the file does not verify the app. \(file.summary)")
        }
        if match.sdks.upperBound < AndroidVersion.hostsAlone, let others = Self.others(than: url.host, among: verified)
        {
            return match.answer(
                .manifestDecides,
                ", and the file verifies the app. Android verifies all hosts of the manifest or none, and the file does "
                    + "not say whether \(others) verifies it, too.", isDecided: false, file: file)
        }
        guard match.sdks.lowerBound >= AndroidVersion.relativeGroups, file.decision != .manifestDecides else {
            return match.answer(.opens, ", and the file verifies the app.\(match.choice)", file: file)
        }
        return match.answer(
            file.decision,
            file.decision == .opens
                ? ", and the file allows the link. \(file.summary)\(match.choice)"
                : ", and the dynamic rules of the file do not allow the link. \(file.summary)", file: file)
    }

    /// A filter that takes the link, on a range of versions.
    private struct FilterMatch {
        let filter: IntentFilter
        let sdks: ClosedRange<Int>
        let trials: [FilterTrial]

        /// A sentence about another activity that takes the link as well; empty without one.
        var choice: String {
            let other = trials.first {
                $0.mismatch == nil && $0.filter.activity != filter.activity && $0.filter.order == filter.order
            }
            return other.map {
                " \(AndroidAppMatcher.place($0.filter)) also matches with the same order, so Android may show a choice."
            } ?? ""
        }

        /// - Parameter rest: what the summary says after "The filter of … matches".
        func answer(
            _ decision: LinkDecision, _ rest: String, isDecided: Bool = true, asks: Bool = false,
            file: LinkExplanation? = nil
        ) -> VersionDecision {
            VersionDecision(
                sdks: sdks, decision: decision, summary: "\(AndroidAppMatcher.place(filter)) matches\(rest)",
                isDecided: isDecided, asks: asks, filter: filter, trials: trials, file: file)
        }

        func unverified(_ why: String) -> VersionDecision {
            let asks = sdks.lowerBound < AndroidVersion.hostsAlone
            let effect = asks ? "Android asks the user" : "the link opens the browser"
            return answer(.noMatch, ", and \(effect): \(why)", asks: asks)
        }
    }

    /// The hosts that Android verifies. Up to Android 11 one filter with `autoVerify` is enough for those of all filters for web
    /// links, whatever activity they are of. Source: AOSP before 12, `PackageManagerService.verifyIntentFiltersIfNeeded`.
    private func verifiedHosts(on sdks: ClosedRange<Int>) -> [ManifestHost] {
        let verifiable = filters.filter(\.isVerifiable)
        guard sdks.upperBound < AndroidVersion.hostsAlone, !verifiable.isEmpty else {
            return verifiable.flatMap(\.hosts)
        }
        return filters.filter(\.isForWebOnly).flatMap(\.hosts)
    }

    /// The other hosts whose files are read as well, as a part of a sentence. For `*.example.com` that is `example.com`.
    private static func others(than name: String, among hosts: [ManifestHost]) -> String? {
        let names = hosts.filter { $0.name != "*" }.map { String($0.name.lowercased().trimmingPrefix("*.")) }
        let found = names.filter { $0 != name }.uniqued { $0 }
        return found.isEmpty ? nil : "that of \(found.joined(separator: " and that of "))"
    }

    /// The decision, or that it is open: a filter that the build or a resource completes may take the link.
    private func weighed(_ known: VersionDecision, _ url: LinkURL, _ sdks: ClosedRange<Int>) -> VersionDecision {
        guard known.decision == .noMatch, known.isDecided,
            let name = ManifestMatcher.open(filters, url, sdk: sdks.lowerBound)
        else { return known }
        return VersionDecision(
            sdks: sdks, decision: .noMatch,
            summary: "The build or a resource fills \(name) in, so the manifest does not say whether a filter matches.",
            isDecided: false, asks: false, filter: nil, trials: known.trials, file: nil)
    }

    static func place(_ filter: IntentFilter) -> String {
        let line = filter.position.map { " (line \($0.line))" } ?? ""
        return "The filter of \(filter.activity ?? "an activity without a name")\(line)"
    }

    private static func noFilter(_ trials: [FilterTrial], count: Int) -> String {
        guard !trials.isEmpty else {
            return count == 0
                ? "The manifest has no intent filter."
                : "No intent filter of the manifest takes web links: VIEW, BROWSABLE, DEFAULT and a web scheme are needed."
        }
        guard trials.count == 1, let reason = trials[0].mismatch else {
            return "None of the \(trials.count) intent filters for web links matches."
        }
        return "\(place(trials[0].filter)) does not match: \(reason)."
    }
}
