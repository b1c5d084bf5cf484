/// Decides what Apple's systems do with a link, by the rules of one apple-app-site-association file.
///
/// The file is compiled once. The time of a decision is at most proportional to the rules and the URL. The host is not
/// part of the rules: the caller must know that the file belongs to the host of the link.
///
/// Sources: Apple, "applinks.Details" and "applinks.Details.Components"; WWDC 2019 session 717; WWDC 2020 session 10098;
/// the answers of Apple's `swcutil` on macOS 27.
public struct AppleMatcher: Sendable {
    /// The apps that have an entry, in the order of the file.
    public let apps: [String]
    public let file: AASAFile
    /// Why Apple's reader rejects the file ("LINE:COLUMN: …"), so that no link opens an app. `nil` if it accepts the file.
    public let refusal: String?

    let entries: [AppleEntry]
    let assumptions: MatchingAssumptions
    /// The entries of each app, in the order in which they are tried.
    let entriesOfApp: [String: [Int]]

    public init(_ file: AASAFile) { self.init(file, MatchingAssumptions()) }

    /// - Parameter only: limits the matcher to one app.
    init(_ file: AASAFile, _ assumptions: MatchingAssumptions, only: String? = nil) {
        self.file = file
        refusal = FileAcceptance.appleRefusal(file.document).map { FileAcceptance.words($0, file.document) }
        self.assumptions = assumptions
        var compiler = AppleCompiler(file, assumptions)
        entries = compiler.entries(only: only)
        var apps: [String] = []
        var entriesOfApp: [String: [Int]] = [:]
        for (index, entry) in entries.enumerated() {
            for app in entry.apps {
                if entriesOfApp[app] == nil { apps.append(app) }
                // An entry that names an app twice is tried once.
                if entriesOfApp[app]?.last != index { entriesOfApp[app, default: []].append(index) }
            }
        }
        self.apps = apps
        self.entriesOfApp = entriesOfApp
    }

    /// The decision if the app is installed. ``LinkDecision/noMatch`` for an app without an entry.
    public func decide(_ url: LinkURL, app: String) -> LinkDecision { answer(url, app: app).decision }

    /// The decision, and whether the search took too long to end.
    public func answer(_ url: LinkURL, app: String) -> (decision: LinkDecision, isGivenUp: Bool) {
        var effort = MatchEffort()
        let decision = decide(url, app: app, &effort)
        return (decision, effort.isSpent)
    }

    /// The same decision with an effort that several decisions share. ``LinkDecision/noMatch`` if it is spent.
    func decide(_ url: LinkURL, app: String, _ effort: inout MatchEffort) -> LinkDecision {
        if assumptions.refusesPorts, url.hasUnusualPort { return .noMatch }
        return deciding(url, app: app, &effort).decision
    }

    /// The decision and the deciding rule, or `nil` if no rule matches.
    func deciding(
        _ url: LinkURL, app: String, _ effort: inout MatchEffort
    ) -> (decision: LinkDecision, rule: (entry: Int, rule: Int)?) {
        guard refusal == nil, let entries = entriesOfApp[app] else { return (.noMatch, nil) }
        var texts = AppleTexts(url, assumptions)
        guard let found = first(in: entries, &texts, &effort) else { return (.noMatch, nil) }
        return (self.entries[found.entry].rules[found.rule].isExclude ? .excluded : .opens, found)
    }

    /// The first rule that matches. Also `nil` if the effort is spent, so a link that takes too long opens no app.
    func first(in entries: [Int], _ texts: inout AppleTexts, _ effort: inout MatchEffort) -> (entry: Int, rule: Int)? {
        for index in entries {
            let entry = self.entries[index]
            for rule in entry.heads.indices {
                let head = entry.heads[rule]
                guard (texts.head(head.reading) ^ head.bytes) & head.mask == 0 else { continue }
                if entry.rules[rule].matches(&texts, &effort) { return effort.isSpent ? nil : (index, rule) }
                if effort.isSpent { return nil }
            }
        }
        return nil
    }
}

extension AppleRule {
    func matches(_ texts: inout AppleTexts, _ effort: inout MatchEffort) -> Bool {
        guard path.isAnything || path.matches(pathText(&texts), &effort) else { return false }
        switch query {
        case .whole(let pattern):
            guard pattern.isAnything || pattern.matches(texts.query(reading), &effort) else { return false }
        case .items(let items): for item in items where !item.matches(&texts, reading, &effort) { return false }
        }
        return fragment.isAnything || fragment.matches(texts.fragment(reading), &effort)
    }

    func pathText(_ texts: inout AppleTexts) -> LinkText {
        pathKeepsSlash ? texts.pathWithSlash(reading) : texts.path(reading)
    }
}

extension AppleRule.Item {
    /// Every item with the name must match. Without such an item, the empty text must match (WWDC 2019 session 717).
    func matches(_ texts: inout AppleTexts, _ reading: LinkReading, _ effort: inout MatchEffort) -> Bool {
        if pattern.isAnything { return true }
        let values = texts.values(of: name, reading, &effort)
        if values.isEmpty { return pattern.matches(.empty, &effort) }
        return values.allSatisfy { pattern.matches($0, &effort) }
    }
}

/// Assumptions about the behaviour of Apple's system where it is not documented. The library decides with the
/// defaults. The alternatives are tried only to find out whether they would change a decision.
struct MatchingAssumptions: Sendable, Hashable {
    enum Rules: Sendable, Hashable {
        case components
        case componentsThenPaths
        case paths
        case none
    }

    /// Whether `appID` also counts if `appIDs` is present.
    var unitesAppIDs = false
    /// Which rules an entry with `components` and `paths` has.
    var mixedRules: Rules = .components
    /// Whether `?` matches one byte of a decoded text instead of one character.
    var countsBytes = false
    /// Whether a pattern that begins with `*` is compared with the path including its first slash.
    var starTakesFirstSlash = false
    /// Whether a `*` inside a path pattern stops at a slash.
    var innerStarStopsAtSlash = false
    /// Whether adjacent slashes inside a path count as one.
    var collapsesSlashes = false
    /// Whether a file's own variable replaces a predefined one.
    var redefines = true
    /// Whether `$(name)` is a variable in legacy paths.
    var expandsInPaths = true
    var defaultsReachPaths = true
    /// Whether `percentEncoded: false` also decodes the items of the query.
    var decodesItems = true
    /// Whether `caseSensitive: false` also applies to the names of query items.
    var foldsItemNames = false
    /// Whether `caseSensitive: false` also applies to non-ASCII letters.
    var foldsUnicode = false
    var wrongTypeKeepsDefault = false
    var emptyPathIsRoot = true
    var resolvesDots = false
    /// Whether only a path pattern that itself ends in `/*` also matches without that segment.
    var bareNeedsPlainStar = false
    var refusesPorts = false
}
