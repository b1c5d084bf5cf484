import SSOShared

/// Checks the paths of an intent filter: those that never match, and those that Android combines with other hosts.
///
/// Sources: Android, "`<data>` element"; AOSP, `IntentFilter` and `PatternMatcher`.
enum IntentFilterPathLint {
    static func findings(of filter: IntentFilter, place: String, file: String) -> [Finding] {
        let paths = filter.paths.compactMap { path -> Finding? in
            guard let fault = fault(in: path) else { return nil }
            return Finding(
                ProjectRules.manifestPath,
                "\(place) has android:\(path.kind.rawValue)=\(path.text.quoted), which \(fault.text).",
                fix: fault.fix, file: file, position: path.position ?? filter.position)
        }
        return paths + (crossed(filter, place: place, file: file).map { [$0] } ?? [])
    }

    private static func fault(in path: ManifestPath) -> (text: String, fix: String?)? {
        let text = path.text
        guard !text.isEmpty, !BuildPlaceholder.isIn(text) else { return nil }
        if text.contains("://") {
            return ("is an address: a path never equals it", "Write the path alone, as in /shop.")
        }
        if path.kind != .pathAdvancedPattern, let mark = text.first(where: { $0 == "?" || $0 == "#" }) {
            let part = mark == "?" ? "query" : "fragment"
            return (
                "never matches: a path has no \"\(mark)\", and a filter sees no \(part)",
                "Leave out \"\(mark)\" and what follows it; a \(part) is compared by uri-relative-filter-group (Android 15)."
            )
        }
        if text.contains(#/%[0-9A-Fa-f]{2}/#) {
            return ("never matches: Android compares the decoded path", "Write the character itself instead of %….")
        }
        switch path.kind {
        case .path, .pathPrefix:
            guard text.hasPrefix("/") else {
                return ("never matches: a path begins with a slash", "Write \("/\(text)".quoted).")
            }
            guard text.contains("*") else { return nil }
            return ("never matches: here * is a plain character", starFix(text))
        case .pathSuffix:
            return text.contains("*") ? ("never matches: here * is a plain character", starFix(text)) : nil
        case .pathPattern, .pathAdvancedPattern:
            let pattern = ManifestPattern(path)
            if pattern.isIllFormed {
                return ("is ill-formed: Android refuses it", "Close every [ and {, and give * a character.")
            }
            guard pattern.mayBeginWithSlash else {
                return ("never matches: a path begins with a slash", "Write \("/\(text)".quoted).")
            }
            guard text.contains("/*") else { return nil }
            return ("matches repeated slashes only: * repeats the character before it", starFix(text))
        }
    }

    /// The attribute that means what a star usually means.
    private static func starFix(_ text: String) -> String {
        let slashed = text.hasPrefix("/") ? text : "/" + text
        if slashed.hasSuffix("*"), !slashed.dropLast().contains("*") {
            return "Write android:pathPrefix=\(String(slashed.dropLast()).quoted)."
        }
        return "Write android:pathPattern=\(slashed.replacing(".*", with: "*").replacing("*", with: ".*").quoted)."
    }

    /// Android combines every host of a filter with every path. Elements that name both look like pairs.
    private static func crossed(_ filter: IntentFilter, place: String, file: String) -> Finding? {
        let pairs = filter.data.compactMap { data in data.host.map { (host: $0.name, paths: data.paths, data: data) } }
            .filter { !$0.paths.isEmpty }
        let written = Set(pairs.flatMap { pair in pair.paths.map { [pair.host, $0.kind.rawValue, $0.text] } })
        var seen: Set<[String]> = []
        var unasked: [String] = []
        for host in pairs.map(\.host) {
            for path in pairs.flatMap(\.paths) {
                let key = [host, path.kind.rawValue, path.text]
                guard !written.contains(key), seen.insert(key).inserted else { continue }
                unasked.append("\(host) with \(path.kind.rawValue) \(path.text.quoted)")
            }
        }
        guard !unasked.isEmpty else { return nil }
        return Finding(
            ProjectRules.manifestPathsCross,
            "\(place) pairs hosts with paths, and Android combines all of them. It also opens "
                + "\(unasked.listed(atMost: 5)).",
            file: file, position: pairs.dropFirst().first?.data.position ?? filter.position)
    }
}
