import SSOShared

/// Checks the fields of one dynamic rule. One malformed field makes Android discard the whole list.
enum DynamicFieldLint {
    /// Keys of Apple's components.
    private static let foreign = ["caseSensitive", "percentEncoded", "comment"]
    /// Names of what a key matches, each with that key.
    private static let named = ["path": "/", "paths": "/", "query": "?", "fragment": "#"]

    /// - Returns: false if a field is malformed or empty. Android then discards all rules.
    static func lint(_ rule: DynamicComponent, into findings: inout FindingCollector) -> Bool {
        guard rule.isObject else {
            findings.add(
                DynamicRules.malformed, at: rule.node, "A rule is \(rule.node.typeName); it must be an object.")
            return false
        }
        for member in rule.unknownMembers {
            let isForeign = foreign.contains(member.key)
            let meant = isForeign ? nil : named[member.key] ?? SpellingSuggestion.of(member.key, among: ["exclude"])
            let tail =
                meant.map { ": did you mean \($0)?" }
                ?? (isForeign ? "; Apple's rules have it, Android's do not." : ".")
            findings.add(
                DynamicRules.unknownKey, at: member, "Unknown key \(member.key.quoted) in a dynamic rule\(tail)",
                fix: meant.map { .rename(member, to: $0) })
        }
        var isSound = lint(rule.path, "/", into: &findings)
        isSound = lint(rule.fragment, "#", into: &findings) && isSound
        isSound = lintQuery(rule, into: &findings) && isSound
        if case .wrongType(let member) = rule.exclude {
            findings.add(
                DynamicRules.malformed, "exclude", member.value, mustBe: "true or false",
                fix: .unquote(member.value, words: "Write true or false, without quotes."))
            isSound = false
        }
        if rule.path.isAbsent, rule.query.isAbsent, rule.fragment.isAbsent {
            // An unknown key already has a finding that describes its effect.
            if rule.unknownMembers.isEmpty {
                findings.add(
                    DynamicRules.malformed, at: rule.node,
                    "A rule names no path, query or fragment. (Disputed: AOSP's filter never matches it; Google's page "
                        + "discards all rules for an empty field; on iOS it matches every link.)")
            }
            isSound = false
        }
        return isSound
    }

    private static func lint(_ field: JSONField<String>, _ key: String, into findings: inout FindingCollector) -> Bool {
        switch field {
        case .absent: return true
        case .wrongType(let member):
            findings.add(DynamicRules.malformed, key.quoted, member.value, mustBe: "a pattern")
            return false
        case .present(let text, let member):
            if text.isEmpty { findings.add(DynamicRules.malformed, at: member.value, "\(key.quoted) is empty.") }
            return !text.isEmpty
        }
    }

    private static func lintQuery(_ rule: DynamicComponent, into findings: inout FindingCollector) -> Bool {
        guard let member = rule.query.member else { return true }
        switch member.value.value {
        case .string(let text):
            let items = text.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1) }
            let fix = items.first.flatMap { item in
                item.first.map { "Write {\(String($0).quoted): \(String(item.count > 1 ? item[1] : "*").quoted)}." }
            }
            findings.add(
                DynamicRules.queryString, at: member.value, "\"?\" is a string; it must be a dictionary.",
                fix: text.contains("=") && items.count == 1 ? fix.map { FindingFix(words: $0) } : nil)
            return false
        case .object(let items):
            var isSound = !items.isEmpty
            if items.isEmpty { findings.add(DynamicRules.malformed, at: member.value, "\"?\" is empty.") }
            for item in items {
                guard let text = item.value.string else {
                    findings.add(
                        DynamicRules.malformed, at: item.value,
                        "The value of ?.\(item.key) is \(item.value.typeName); it must be a pattern.")
                    isSound = false
                    continue
                }
                guard item.key.isEmpty || text.isEmpty else { continue }
                findings.add(DynamicRules.malformed, at: item.value, "A name or pattern in \"?\" is empty.")
                isSound = false
            }
            return isSound
        default:
            findings.add(
                DynamicRules.malformed, at: member.value, "\"?\" is \(member.value.typeName); it must be a dictionary.")
            return false
        }
    }
}
