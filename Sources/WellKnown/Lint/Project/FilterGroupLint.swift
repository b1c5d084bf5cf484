/// Checks the groups of an intent filter, which Android 15 and later read: those that never decide.
///
/// Sources: Android, "`<uri-relative-filter-group>`"; AOSP, `IntentFilter` and `UriRelativeFilterGroup`.
enum FilterGroupLint {
    static func findings(of filter: IntentFilter, place: String, file: String) -> [Finding] {
        filter.groups.indices.compactMap { index in
            guard let fault = fault(in: index, of: filter) else { return nil }
            let word = filter.groups[index].isAllowed ? "opens" : "excludes"
            return Finding(
                ProjectRules.manifestGroup, "\(place) has a group that \(word) nothing: \(fault).", file: file,
                position: filter.groups[index].position ?? filter.position)
        }
    }

    /// The end of a sentence. `nil` if the group may decide.
    private static func fault(in index: Int, of filter: IntentFilter) -> String? {
        let group = filter.groups[index]
        let own = texts(group)
        if own.isEmpty { return "it has no condition, and never matches" }
        let before = filter.groups[..<index].map(texts)
        if before.contains(where: { !$0.isEmpty && $0.isSubset(of: own) }) {
            return "a group before it matches every link that it matches"
        }
        if let path = filter.paths.first(where: { path in
            group.conditions.contains { $0.part == .path && takes(path, $0.pattern) }
        }) {
            return "android:\(path.kind.rawValue)=\(path.text.quoted) of the filter takes its links before"
        }
        let opens = filter.groups[index...].contains { $0.isAllowed && !$0.conditions.isEmpty }
        return opens ? nil : "no group after it opens a link"
    }

    private static func texts(_ group: RelativeFilterGroup) -> Set<[String]> {
        Set(group.conditions.map { [$0.part.rawValue, $0.pattern.kind.rawValue, $0.pattern.text] })
    }

    /// Whether a path of the filter surely matches every path that the condition matches.
    private static func takes(_ path: ManifestPath, _ condition: ManifestPath) -> Bool {
        if path.kind == condition.kind, path.text == condition.text { return true }
        let isPlain = condition.kind == .path || condition.kind == .pathPrefix
        switch path.kind {
        case .pathPrefix: return isPlain && condition.text.hasPrefix(path.text)
        case .pathPattern: return path.text == ".*" || path.text == "/.*" && isPlain && condition.text.hasPrefix("/")
        default: return false
        }
    }
}
