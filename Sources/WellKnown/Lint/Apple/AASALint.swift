/// Lints an apple-app-site-association file that could be read: the codes `aasa.*`, `id.*` and `pat.*`.
///
/// Each part adds to one sheet; none looks at what another has found.
struct AASALint {
    let file: AASAFile
    let options: LintOptions
    var sheet: FindingSheet

    /// Rules, by their first byte, that match every address for a reason that has been said.
    var remarked: Set<Int> = []
    /// Patterns of the entry at hand that begin without a slash.
    var slashless: [JSONNode] = []

    static func check(_ file: AASAFile, options: LintOptions, into sheet: inout FindingSheet) {
        var lint = AASALint(file: file, options: options, sheet: sheet)
        lint.services()
        lint.identifiers()
        if let applinks = file.applinks.value {
            lint.applinks(applinks)
            for (number, entry) in lint.entries(applinks) { lint.entry(number, entry, applinks) }
            lint.entryLists(applinks)
            lint.variables(applinks)
            lint.systems(applinks)
            let matcher = AppleMatcher(file)
            lint.order(matcher)
            lint.claims(matcher)
        }
        sheet = lint.sheet
    }

    /// The entries with their numbers as people count, strays included; none where `details` is one entry without its
    /// list: everything said about it would follow from that.
    func entries(_ applinks: AppLinks) -> [(number: Int, entry: AppLinksEntry)] {
        guard let details = applinks.details.value, !isLoneEntry(applinks) else { return [] }
        var entries = details.entries[...]
        let nodes = applinks.details.member?.value.array ?? details.entries.map(\.node)
        var numbered: [(Int, AppLinksEntry)] = []
        for (index, node) in nodes.enumerated() where node.object != nil {
            guard let entry = entries.popFirst() else { break }
            numbered.append((index + 1, entry))
        }
        return numbered
    }

    func isLoneEntry(_ applinks: AppLinks) -> Bool {
        guard applinks.details.value?.form == .dictionary else { return false }
        return applinks.details.member?.value.object?.contains { Self.entryKeys.contains($0.key) } == true
    }

    static let entryKeys = ["appIDs", "appID", "components", "paths", "defaults"]
}
