import WellKnown

/// Apple's rules by brute force.
///
/// Sources: Apple, "applinks.Details.Components"; TN3155; WWDC 2019 session 717; for slashes, what was seen on `swcutil`.
enum AppleOracle {
    private struct Rule {
        var path: String
        var items: [(name: String, pattern: String)] = []
        var fragment: String?
        var isExclude = false

        var json: String {
            var members = ["\"/\": \"\(path)\""]
            if !items.isEmpty {
                members.append(
                    "\"?\": {" + items.map { "\"\($0.name)\": \"\($0.pattern)\"" }.joined(separator: ", ") + "}")
            }
            if let fragment { members.append("\"#\": \"\(fragment)\"") }
            if isExclude { members.append("\"exclude\": true") }
            return "{" + members.joined(separator: ", ") + "}"
        }

        func matches(_ link: LinkURL) -> Bool {
            guard pathMatches(link.path) else { return false }
            for item in items {
                let values = (link.query ?? "").split(separator: "&", omittingEmptySubsequences: false).compactMap {
                    part in
                    let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                    return pair.first.map(String.init) == item.name ? String(pair.count > 1 ? pair[1] : "") : nil
                }
                // An absent item counts as an empty one. Of several, all must match.
                for value in values.isEmpty ? [""] : values
                where !glob(Array(item.pattern.utf8)[...], Array(value.utf8)[...]) {
                    return false
                }
            }
            return glob(Array((fragment ?? "*").utf8)[...], Array((link.fragment ?? "").utf8)[...])
        }

        private func pathMatches(_ path: String) -> Bool {
            let (pattern, text) = (trimmed(self.path), trimmed(path))
            if glob(pattern[...], text[...]) { return true }
            // A pattern that ends in /* also matches without that segment.
            var end = pattern
            while end.count > 1, end.last == 0x2a, end[end.count - 2] == 0x2a { end.removeLast() }
            guard end.count >= 2, end.last == 0x2a, end[end.count - 2] == 0x2f else { return false }
            end.removeLast()
            while end.last == 0x2f { end.removeLast() }
            return glob(end[...], text[...])
        }

        private func trimmed(_ text: String) -> [UInt8] {
            var bytes = Array(text.utf8)
            while bytes.first == 0x2f { bytes.removeFirst() }
            while bytes.last == 0x2f { bytes.removeLast() }
            return bytes
        }
    }

    static func glob(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first == 0x2a {
            return (text.startIndex...text.endIndex).contains { glob(pattern.dropFirst(), text[$0...]) }
        }
        guard let next = text.first, first == 0x3f || first == next else { return false }
        return glob(pattern.dropFirst(), text.dropFirst())
    }

    private static func rules(_ random: inout SplitMix) -> [Rule] {
        (0..<1 + random.below(4)).map { _ in
            let letters = ["a", "b", "/", "*", "?", "a", "/"]
            var rule = Rule(path: "/" + (0..<random.below(5)).map { _ in random.pick(letters) ?? "" }.joined())
            if random.below(6) == 0 { rule.path = "*" }
            if random.below(4) == 0 {
                rule.items = [("q", random.pick(["*", "?*", "a", "?", ""]) ?? "*")]
                if random.below(2) == 0 { rule.items.append(("r", random.pick(["?*", "a", "*"]) ?? "*")) }
            }
            if random.below(6) == 0 { rule.fragment = random.pick(["a", "*", "?*", ""]) }
            rule.isExclude = random.below(3) == 0
            return rule
        }
    }

    private static let app = "ABCDE12345.com.example.app"

    private static func matcher(_ rules: [Rule]) -> AppleMatcher? {
        let list = rules.map(\.json).joined(separator: ", ")
        let text = "{\"applinks\": {\"details\": [{\"appIDs\": [\"\(app)\"], \"components\": [\(list)]}]}}"
        return AASAFile(reading: text.utf8).map { AppleMatcher($0) }
    }

    private static func decide(_ rules: [Rule], _ link: LinkURL) -> (decision: LinkDecision, rule: Int?) {
        guard let index = rules.firstIndex(where: { $0.matches(link) }) else { return (.noMatch, nil) }
        return (rules[index].isExclude ? .excluded : .opens, index)
    }

    static func check(_ random: inout SplitMix, _ tally: inout OracleTally) -> String? {
        let old = rules(&random)
        var new = old
        let place = random.below(new.count)
        if random.below(3) == 0 { new.remove(at: place) } else { new[place] = rules(&random)[0] }
        guard let before = matcher(old), let after = matcher(new) else { return "the file is not readable: \(old)" }
        let text = "old: \(old.map(\.json))\nnew: \(new.map(\.json))"
        var pairs: Set<[LinkDecision]> = []
        var deciding: Set<Int> = []
        var matching: Set<Int> = []
        for link in OracleLinks.all {
            let (expected, rule) = decide(old, link)
            let changed = decide(new, link).decision
            if before.decide(link, app: app) != expected { return "\(text)\nmatch \(link): not \(expected)" }
            if after.decide(link, app: app) != changed { return "\(text)\nmatch of new \(link): not \(changed)" }
            if expected != changed { pairs.insert([expected, changed]) }
            if let rule { deciding.insert(rule) }
            for index in old.indices where old[index].matches(link) { matching.insert(index) }
            tally.links += 1
        }
        return difference(before, after, old, new, pairs, &tally).map { "\(text)\n\($0)" }
            ?? coverage(before, old, deciding, matching, &tally).map { "\(text)\n\($0)" }
    }

    private static func difference(
        _ before: AppleMatcher, _ after: AppleMatcher, _ old: [Rule], _ new: [Rule], _ pairs: Set<[LinkDecision]>,
        _ tally: inout OracleTally
    ) -> String? {
        // A file without rules names no app for the comparison.
        guard !new.isEmpty else { return nil }
        let diff = LinkDiff.between(before, after)
        for change in diff.changes {
            let found = [decide(old, change.witness).decision, decide(new, change.witness).decision]
            if found != [change.old, change.new] { return "diff: \(change.witness) is \(found)" }
            tally.changes += 1
        }
        guard diff.notDecided.isEmpty else {
            tally.open += 1
            return nil
        }
        let missing = pairs.subtracting(diff.changes.map { [$0.old, $0.new] })
        return missing.isEmpty ? nil : "diff: no link for \(missing)"
    }

    private static func coverage(
        _ matcher: AppleMatcher, _ rules: [Rule], _ deciding: Set<Int>, _ matching: Set<Int>, _ tally: inout OracleTally
    ) -> String? {
        for (index, rule) in RuleCoverage.rules(of: app, matcher).enumerated() {
            switch rule.verdict {
            case .decides(let link):
                if decide(rules, link).rule != index { return "lint: rule \(index) does not decide \(link)" }
            case .covered, .coveredTogether:
                if deciding.contains(index) { return "lint: rule \(index) is called dead" }
                tally.dead += 1
            case .impossible:
                if matching.contains(index) { return "lint: rule \(index) is called impossible" }
                tally.dead += 1
            case .notDecided: tally.open += 1
            }
        }
        return nil
    }
}
