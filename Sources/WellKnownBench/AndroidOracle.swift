import SSOShared
import WellKnown

/// Android's dynamic rules by brute force. Links on which sources differ are left out: stars that are followed by another
/// wildcard, items without an equals sign, and rules without a part.
///
/// Source: Google, "Configure Dynamic App Links".
enum DynamicOracle {
    private struct Rule {
        var path: String?
        var item: (name: String, pattern: String)?
        var fragment: String?
        var isExclude = false

        var json: String {
            var members: [String] = []
            if let path { members.append("\"/\": \"\(path)\"") }
            if let item { members.append("\"?\": {\"\(item.name)\": \"\(item.pattern)\"}") }
            if let fragment { members.append("\"#\": \"\(fragment)\"") }
            if isExclude { members.append("\"exclude\": true") }
            return "{" + members.joined(separator: ", ") + "}"
        }

        func matches(_ link: LinkURL) -> Bool {
            if let path, !star(Array(path), Array(link.path)) { return false }
            if let item {
                let pairs = (link.query ?? "").split(separator: "&", omittingEmptySubsequences: false)
                let pattern = Array(item.name + "=" + item.pattern)
                guard link.query != nil, pairs.contains(where: { star(pattern, Array($0)) }) else { return false }
            }
            guard let fragment else { return true }
            return link.fragment.map { star(Array(fragment), Array($0)) } ?? false
        }
    }

    /// A star takes everything up to the first place of the character after it.
    private static func star(_ pattern: [Character], _ text: [Character]) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first == "*" {
            guard pattern.count > 1 else { return true }
            guard let place = text.firstIndex(of: pattern[1]) else { return false }
            return star(Array(pattern[2...]), Array(text[(place + 1)...]))
        }
        guard let next = text.first, first == "?" || first == next else { return false }
        return star(Array(pattern[1...]), Array(text[1...]))
    }

    private static func pattern(_ random: inout SplitMix, _ letters: [String], _ most: Int) -> String {
        var text = ""
        for _ in 0..<1 + random.below(most) {
            let letter = random.pick(letters) ?? "a"
            // Sources differ about a wildcard after a star.
            text += text.hasSuffix("*") && "*?".contains(letter) ? "a" : letter
        }
        return text
    }

    private static func rules(_ random: inout SplitMix) -> [Rule] {
        (0..<1 + random.below(4)).map { _ in
            var rule = Rule()
            if random.below(5) != 0 { rule.path = "/" + pattern(&random, ["a", "b", "/", "*", "?"], 4) }
            if random.below(4) == 0 { rule.item = ("q", pattern(&random, ["a", "b", "*", "?"], 2)) }
            if random.below(6) == 0 { rule.fragment = pattern(&random, ["a", "*", "?"], 2) }
            if rule.path == nil, rule.item == nil, rule.fragment == nil { rule.path = "*" }
            rule.isExclude = random.below(3) == 0
            return rule
        }
    }

    private static let package = "com.example.app"

    private static func matcher(_ rules: [Rule]) -> AndroidMatcher? {
        let relation = "delegate_permission/common.handle_all_urls"
        let print = Array(repeating: "AB", count: 31).joined(separator: ":") + ":01"
        let text = """
            [{"relation": ["\(relation)"], "relation_extensions": {"\(relation)": {"dynamic_app_link_components": [
            \(rules.map(\.json).joined(separator: ", "))]}}, "target": {"namespace": "android_app",
            "package_name": "\(package)", "sha256_cert_fingerprints": ["\(print)"]}}]
            """
        return AssetLinksFile(JSONReader.read(text.utf8)).map { AndroidMatcher($0) }
    }

    private static func decide(_ rules: [Rule], _ link: LinkURL) -> (decision: LinkDecision, rule: Int?) {
        guard let index = rules.firstIndex(where: { $0.matches(link) }) else { return (.noMatch, nil) }
        return (rules[index].isExclude ? .excluded : .opens, index)
    }

    static func check(_ random: inout SplitMix, _ tally: inout OracleTally) -> String? {
        let (old, new) = (rules(&random), rules(&random))
        guard let before = matcher(old), let after = matcher(new), let dynamic = before.dynamicRules(of: package) else {
            return "the file is not readable: \(old)"
        }
        let text = "old: \(old.map(\.json))\nnew: \(new.map(\.json))"
        var pairs: Set<[Bool]> = []
        var deciding: Set<Int> = []
        for link in OracleLinks.all {
            let (expected, rule) = decide(old, link)
            if before.decide(link, package: package) != expected { return "\(text)\nmatch \(link): not \(expected)" }
            let changed = decide(new, link).decision
            if (expected == .opens) != (changed == .opens) { pairs.insert([expected == .opens, changed == .opens]) }
            if let rule { deciding.insert(rule) }
            tally.links += 1
        }
        let diff = LinkDiff.between(before, after)
        for change in diff.changes {
            let found = [decide(old, change.witness).decision, decide(new, change.witness).decision]
            if found != [change.old, change.new] { return "\(text)\ndiff: \(change.witness) is \(found)" }
            tally.changes += 1
        }
        if diff.notDecided.isEmpty {
            let missing = pairs.subtracting(diff.changes.map { [$0.old == .opens, $0.new == .opens] })
            if !missing.isEmpty { return "\(text)\ndiff: no link for \(missing)" }
        } else {
            tally.open += 1
        }
        for (index, rule) in RuleCoverage.rules(dynamic).enumerated() {
            if case .decides(let link) = rule.verdict, decide(old, link).rule != index {
                return "\(text)\nlint: rule \(index) does not decide \(link)"
            }
            guard rule.isDead else { continue }
            if deciding.contains(index) { return "\(text)\nlint: rule \(index) is called dead" }
            tally.dead += 1
        }
        return nil
    }
}

/// Intent filters by brute force.
///
/// Sources: Android, "`<data>`", "`<uri-relative-filter-group>`"; AOSP, `PatternMatcher.matchGlobPattern`.
enum ManifestOracle {
    private static let kinds: [ManifestPath.Kind] = [.path, .pathPrefix, .pathSuffix, .pathPattern]

    private static func matches(_ path: ManifestPath, _ text: String) -> Bool {
        switch path.kind {
        case .path: text == path.text
        case .pathPrefix: text.hasPrefix(path.text)
        case .pathSuffix: text.hasSuffix(path.text)
        case .pathPattern, .pathAdvancedPattern: glob(Array(path.text), Array(text))
        }
    }

    /// Two places that move through the pattern and the text, and never back.
    private static func glob(_ pattern: [Character], _ text: [Character]) -> Bool {
        if pattern.isEmpty { return text.isEmpty }
        func at(_ index: Int) -> Character? { index < pattern.count ? pattern[index] : nil }
        var (place, read) = (0, 0)
        while place < pattern.count, read < text.count {
            let isEscaped = pattern[place] == "\\"
            if isEscaped { place += 1 }
            guard let character = at(place) else { return false }
            place += 1
            if at(place) == "*" {
                if !isEscaped, character == "." {
                    guard place < pattern.count - 1 else { return true }
                    place += 1
                    if at(place) == "\\" { place += 1 }
                    while read < text.count, text[read] != at(place) { read += 1 }
                    guard read < text.count else { return false }
                    read += 1
                } else {
                    while read < text.count, text[read] == character { read += 1 }
                }
                place += 1
            } else {
                guard !isEscaped && character == "." || text[read] == character else { return false }
                read += 1
            }
        }
        if place >= pattern.count, read >= text.count { return true }
        return place == pattern.count - 2 && pattern[place] == "." && pattern[place + 1] == "*" && read >= text.count
    }

    private static func path(_ random: inout SplitMix) -> ManifestPath {
        let kind = random.pick(kinds) ?? .path
        let letters = kind == .pathPattern ? ["a", "b", "/", ".", ".*", "a*", "\\\\."] : ["a", "b", "/"]
        return ManifestPath(kind, "/" + (0..<random.below(4)).map { _ in random.pick(letters) ?? "" }.joined())
    }

    static func check(_ random: inout SplitMix, _ tally: inout OracleTally) -> String? {
        let filters = (0..<1 + random.below(3)).map { index in
            var filter = IntentFilter(
                activity: ".A\(index)", autoVerify: true, actions: ["android.intent.action.VIEW"],
                categories: ["android.intent.category.DEFAULT", "android.intent.category.BROWSABLE"],
                schemes: ["https"], hosts: [ManifestHost(random.below(4) == 0 ? "*.com" : "example.com")],
                paths: (0..<random.below(3)).map { _ in path(&random) })
            filter.order = random.below(3)
            if random.below(3) == 0 {
                filter.groups = (0..<1 + random.below(2)).map { _ in
                    RelativeFilterGroup(
                        isAllowed: random.below(3) != 0,
                        conditions: (0..<random.below(3)).map { _ in .init(.path, path(&random)) })
                }
            }
            return filter
        }
        let matcher = ManifestMatcher(filters)
        for link in OracleLinks.paths {
            var expected: Int?
            for (index, filter) in filters.enumerated() where takes(filter, link) {
                if expected.map({ filters[$0].order < filter.order }) ?? true { expected = index }
            }
            if matcher.filter(for: link) != expected {
                return
                    "\(filters.map { ($0.paths, $0.groups, $0.order) })\n\(link): not \(expected.map(String.init) ?? "none")"
            }
            tally.links += 1
        }
        return nil
    }

    private static func takes(_ filter: IntentFilter, _ link: LinkURL) -> Bool {
        if filter.paths.isEmpty, filter.groups.isEmpty { return true }
        if filter.paths.contains(where: { matches($0, link.path) }) { return true }
        for group in filter.groups where !group.conditions.isEmpty {
            if group.conditions.allSatisfy({ matches($0.pattern, link.path) }) { return group.isAllowed }
        }
        return false
    }
}
