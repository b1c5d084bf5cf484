import SSOShared

/// Whether the fields of one dynamic rule are such that Android reads the list at all.
enum DynamicFieldLint {
    /// Keys of Apple's components, and others that people expect.
    private static let foreign = ["caseSensitive", "percentEncoded", "comment", "path", "query", "fragment", "paths"]

    /// - Returns: false when a field is malformed or empty: then all rules are discarded.
    static func lint(_ rule: DynamicComponent, pen: inout FindingPen) -> Bool {
        guard rule.isObject else {
            pen.note(DynamicRules.malformed, "A rule is \(rule.node.typeName); it must be an object.", at: rule.node)
            return false
        }
        for member in rule.unknownMembers {
            let isForeign = foreign.contains(member.key)
            let meant = isForeign ? nil : NearName.of(member.key, among: ["exclude"])
            let tail =
                meant.map { ": did you mean \($0)?" }
                ?? (isForeign ? "; Apple's rules have it, Android's do not." : ".")
            pen.note(
                DynamicRules.unknownKey, "Unknown key \(member.key.quoted) in a dynamic rule\(tail)", atKey: member,
                fix: meant.map { "Write \"\($0)\"." })
        }
        var isSound = lint(rule.path, "/", pen: &pen)
        isSound = lint(rule.fragment, "#", pen: &pen) && isSound
        isSound = lintQuery(rule, pen: &pen) && isSound
        if case .wrongType(let member) = rule.exclude {
            let fix = member.value.string.flatMap { ["true": true, "false": false][$0.lowercased()] }.map {
                "Write \($0)."
            }
            pen.note(
                DynamicRules.malformed, "exclude is \(member.value.typeName); it must be true or false.",
                at: member.value, fix: fix)
            isSound = false
        }
        if rule.path.isAbsent, rule.query.isAbsent, rule.fragment.isAbsent {
            // What an unknown key did to the rule has been told.
            if rule.unknownMembers.isEmpty {
                pen.note(
                    DynamicRules.malformed,
                    "A rule names no path, query or fragment. (Disputed: AOSP's filter never matches it; Google's page "
                        + "discards all rules for an empty field; on iOS it matches every link.)", at: rule.node)
            }
            isSound = false
        }
        return isSound
    }

    private static func lint(_ field: JSONField<String>, _ key: String, pen: inout FindingPen) -> Bool {
        switch field {
        case .absent: return true
        case .wrongType(let member):
            pen.note(
                DynamicRules.malformed, "\(key.quoted) is \(member.value.typeName); it must be a pattern.",
                at: member.value)
            return false
        case .present(let text, let member):
            if text.isEmpty { pen.note(DynamicRules.malformed, "\(key.quoted) is empty.", at: member.value) }
            return !text.isEmpty
        }
    }

    private static func lintQuery(_ rule: DynamicComponent, pen: inout FindingPen) -> Bool {
        guard let member = rule.query.member else { return true }
        switch member.value.value {
        case .string(let text):
            let items = text.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1) }
            let fix = items.first.flatMap { item in
                item.first.map { "Write {\(String($0).quoted): \(String(item.count > 1 ? item[1] : "*").quoted)}." }
            }
            pen.note(
                DynamicRules.queryString, "\"?\" is a string; it must be a dictionary.", at: member.value,
                fix: text.contains("=") && items.count == 1 ? fix : nil)
            return false
        case .object(let items):
            var isSound = !items.isEmpty
            if items.isEmpty { pen.note(DynamicRules.malformed, "\"?\" is empty.", at: member.value) }
            for item in items {
                guard let text = item.value.string else {
                    pen.note(
                        DynamicRules.malformed,
                        "The value of ?.\(item.key) is \(item.value.typeName); it must be a pattern.", at: item.value)
                    isSound = false
                    continue
                }
                guard item.key.isEmpty || text.isEmpty else { continue }
                pen.note(DynamicRules.malformed, "A name or pattern in \"?\" is empty.", at: item.value)
                isSound = false
            }
            return isSound
        default:
            pen.note(
                DynamicRules.malformed, "\"?\" is \(member.value.typeName); it must be a dictionary.", at: member.value)
            return false
        }
    }
}
