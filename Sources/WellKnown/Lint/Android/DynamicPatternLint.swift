import SSOShared

/// Patterns of a sound dynamic rule that mean something else on Android than they seem to.
enum DynamicPatternLint {
    /// The path of a rule, and whether the rule keeps it out of the app.
    struct Path: Hashable {
        let text: String
        let isExclude: Bool
    }

    static func paths(of rules: [DynamicComponent]) -> Set<Path> {
        Set(rules.compactMap { rule in rule.path.value.map { Path(text: $0, isExclude: rule.exclude.value ?? false) } })
    }

    /// - Parameters:
    ///   - paths: those of all rules of the list.
    ///   - matcher: the whole list.
    static func lint(
        _ rule: DynamicComponent, beside paths: Set<Path>, of matcher: DynamicMatcher, pen: inout FindingPen
    ) {
        for (name, text, node) in patterns(of: rule) {
            if hasEscape(text) {
                pen.note(
                    DynamicRules.encodedPattern,
                    "The pattern \(text.quoted) of \(name) has a percent escape; Android compares the decoded link.",
                    at: node)
            }
            if let trap = StarTrap(text) {
                pen.note(
                    DynamicRules.starBacktracking,
                    "The star of \(text.quoted) stops at the first \(trap.stop.quoted): \(trap.witness.quoted) does not "
                        + "match on Android.", at: node)
            }
        }
        lintSlash(rule, beside: paths, of: matcher, pen: &pen)
    }

    private static func patterns(of rule: DynamicComponent) -> [(String, String, JSONNode)] {
        var list: [(String, String, JSONNode)] = []
        if case .present(let text, let member) = rule.path { list.append(("/", text, member.value)) }
        for item in rule.query.value ?? [] { list.append(("?." + item.name, item.pattern, item.member.value)) }
        if case .present(let text, let member) = rule.fragment { list.append(("#", text, member.value)) }
        return list
    }

    /// A percent sign and two hex digits.
    private static func hasEscape(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.indices.contains { index in
            bytes[index] == UInt8(ascii: "%") && index + 2 < bytes.count && bytes[index + 1].isHexDigit
                && bytes[index + 2].isHexDigit
        }
    }

    /// `/buy/` and `/buy/*` do not match `/buy`; iOS takes the three for one. Fine where another rule names `/buy`.
    private static func lintSlash(
        _ rule: DynamicComponent, beside paths: Set<Path>, of matcher: DynamicMatcher, pen: inout FindingPen
    ) {
        guard case .present(let text, let member) = rule.path else { return }
        let base: Substring
        if text.hasSuffix("/*") {
            base = text.dropLast(2)
        } else if text.hasSuffix("/") {
            base = text.dropLast()
        } else {
            return
        }
        guard !base.isEmpty, base != "*", !base.hasSuffix("/") else { return }
        let isExclude = rule.exclude.value ?? false
        let isNamed = [String(base), base + "*"].contains { paths.contains(Path(text: $0, isExclude: isExclude)) }
        guard !isNamed else { return }
        // A star may stand for nothing.
        let link = String(base.filter { $0 != "*" })
        // Another rule may decide the same for it: one for everything at the end, as a rule.
        if rule.query.isAbsent, rule.fragment.isAbsent, let url = LinkURL("https://example.com\(link)"),
            matcher.decide(url) == (isExclude ? .excluded : .opens)
        {
            return
        }
        pen.note(
            DynamicRules.trailingSlash,
            "\(text.quoted) does not match \(link.quoted) on Android; on iOS it does.", at: member.value,
            fix: "Add a rule for \(String(base).quoted), or write \(String(base + "*").quoted).")
    }
}

extension UInt8 {
    fileprivate var isHexDigit: Bool {
        isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20)
    }
}
