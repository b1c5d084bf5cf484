import SSOShared

/// Lints an apple-app-site-association file that could be read: the codes `aasa.*`, `id.*` and `pat.*`.
///
/// Each part adds to one sheet; none looks at what another has found.
struct AASALint {
    let file: AASAFile
    let options: LintOptions
    var sheet: FindingSheet

    var entries: [(number: Int, entry: AppLinksEntry)] = []
    /// Rules, by their first byte, that match every address for a reason that has been said.
    var remarked: Set<Int> = []
    /// Of those, the components that set nothing: what stands behind them is dead all the same.
    var empty: Set<Int> = []
    /// A component compares decoded addresses.
    var decodes = false
    /// The rules of each entry as one text, by the entry's first byte.
    var rulesTexts: [Int: CanonicalText] = [:]
    var examples = RuleExamples()
    /// Patterns of the entry at hand that begin without a slash.
    var slashless: [JSONNode] = []

    static func check(_ file: AASAFile, options: LintOptions, into sheet: inout FindingSheet) {
        var lint = AASALint(file: file, options: options, sheet: sheet)
        lint.services()
        lint.identifiers()
        if let applinks = file.applinks.value {
            lint.applinks(applinks)
            lint.entries = entries(applinks)
            for (number, entry) in lint.entries { lint.entry(number, entry, applinks) }
            lint.entryLists(applinks)
            lint.variables(applinks)
            let matcher = AppleMatcher(file)
            lint.order(matcher)
            lint.idleExcludes(matcher)
            lint.claims(matcher)
        }
        lint.systems()
        sheet = lint.sheet
    }

    /// The entries with their numbers as people count, strays included; none where `details` is one entry without its
    /// list: everything said about it would follow from that.
    static func entries(_ applinks: AppLinks) -> [(number: Int, entry: AppLinksEntry)] {
        guard let details = applinks.details.value, !isLoneEntry(applinks) else { return [] }
        let nodes = applinks.details.member?.value.array ?? []
        guard nodes.count != details.entries.count, !nodes.isEmpty else {
            return details.entries.enumerated().map { ($0.offset + 1, $0.element) }
        }
        let places = nodes.indices.filter { nodes[$0].object != nil }
        return zip(places, details.entries).map { ($0 + 1, $1) }
    }

    static func isLoneEntry(_ applinks: AppLinks) -> Bool {
        guard applinks.details.value?.form == .dictionary else { return false }
        return applinks.details.member?.value.object?.contains { Self.entryKeys.contains($0.key) } == true
    }

    static let entryKeys = ["appIDs", "appID", "components", "paths", "defaults"]
}
