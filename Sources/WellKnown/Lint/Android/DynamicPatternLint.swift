import SSOShared

/// Checks patterns of a valid dynamic rule for a meaning on Android that differs from the apparent one.
enum DynamicPatternLint {
    /// The path of a rule, and whether the rule is an exclude.
    struct Path: Hashable {
        let text: String
        let isExclude: Bool
    }

    static func paths(of rules: [DynamicComponent]) -> Set<Path> {
        Set(rules.compactMap { rule in rule.path.value.map { Path(text: $0, isExclude: rule.exclude.value ?? false) } })
    }

    /// - Parameters:
    ///   - paths: the paths of all rules of the list.
    ///   - matcher: the matcher for the whole list.
    static func lint(
        _ rule: DynamicComponent, beside paths: Set<Path>, of matcher: DynamicMatcher,
        into findings: inout FindingCollector
    ) {
        for (name, text, node) in patterns(of: rule) {
            if PatternEscapes(text).first != nil {
                findings.add(
                    DynamicRules.encodedPattern, at: node,
                    "The pattern \(text.quoted) of \(name) has a percent escape; Android compares the decoded link.")
            }
            if let trap = GreedyStarCheck(text) {
                findings.add(
                    DynamicRules.starBacktracking, at: node,
                    "The star of \(text.quoted) stops at the first \(trap.stop.quoted): \(trap.witness.quoted) does not "
                        + "match on Android.")
            }
        }
        lintSlash(rule, beside: paths, of: matcher, into: &findings)
    }

    /// Reports syntax that the patterns of neither file have, with the names that it has in Apple's file.
    ///
    /// - Returns: false if the rule has such syntax.
    static func lintSyntax(_ rule: DynamicComponent, into findings: inout FindingCollector) -> Bool {
        for item in rule.query.value ?? [] {
            guard let fault = QueryItemFault(name: item.name, pattern: item.pattern) else { continue }
            findings.add(
                AppleComponentRules.querySyntax, at: item.member, fault.message,
                fix: fault.name.map { .rename(item.member, to: $0) })
            return false
        }
        if case .present(let text, let member) = rule.fragment, text.hasPrefix("#") {
            findings.add(
                AppleComponentRules.querySyntax, at: member.value,
                "\(text.quoted) has the # that begins a fragment: no fragment has it",
                fix: .write(String(text.drop { $0 == "#" }), at: member.value))
            return false
        }
        guard case .present(let text, let member) = rule.path else { return true }
        let (pattern, rules) = (PathPatternHeuristics(text), ApplePathRules.self)
        if let negation = pattern.negation {
            findings.add(
                rules.notKeyword, at: member.value, "\(negation.word) in \(text.quoted) is text here, no keyword",
                fix: "Write \"/\": \(negation.path.quoted), \"exclude\": true.")
        } else if let foreign = pattern.foreignSyntax {
            findings.add(
                foreign.rule, at: member.value, foreign.message, severity: foreign.severity,
                fix: pattern.fix(foreign.rule, isList: false))
        } else if text.contains("$(") {
            findings.add(
                rules.routeSyntax, at: member.value, "\(text.quoted) has a variable, and these rules have none")
        } else if PackageName.trimmed(text) != text {
            findings.add(
                rules.nonASCII, at: member.value, "A space is before or after the pattern \(text.quoted)",
                reason: "The decoded path of a link has no such space. The rule matches nothing that it means.",
                fix: FindingFix(
                    words: "Remove the space: write \(PackageName.trimmed(text).quoted).",
                    [.string(member.value.range, PackageName.trimmed(text))]))
        } else {
            return true
        }
        return false
    }

    private static func patterns(of rule: DynamicComponent) -> [(String, String, JSONNode)] {
        var list: [(String, String, JSONNode)] = []
        if case .present(let text, let member) = rule.path { list.append(("/", text, member.value)) }
        for item in rule.query.value ?? [] { list.append(("?." + item.name, item.pattern, item.member.value)) }
        if case .present(let text, let member) = rule.fragment { list.append(("#", text, member.value)) }
        return list
    }

    /// Reports `/buy/` and `/buy/*`, which do not match `/buy` on Android. On iOS, all three match the same links.
    /// There is no finding if another rule matches `/buy`.
    private static func lintSlash(
        _ rule: DynamicComponent, beside paths: Set<Path>, of matcher: DynamicMatcher,
        into findings: inout FindingCollector
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
        // A star can match an empty text.
        let link = String(base.filter { $0 != "*" })
        // Another rule may decide this link in the same way. Usually that is a catch-all rule at the end.
        if rule.query.isAbsent, rule.fragment.isAbsent, let url = LinkURL("https://example.com\(link)"),
            matcher.decide(url) == (isExclude ? .excluded : .opens)
        {
            return
        }
        findings.add(
            DynamicRules.trailingSlash, at: member.value,
            "\(text.quoted) does not match \(link.quoted) on Android; on iOS it does.",
            fix: "Add a rule for \(String(base).quoted), or write \(String(base + "*").quoted).")
    }
}

/// Finds a star after which Android's simple glob stops too early.
///
/// A star matches everything up to the first character that equals the character after the star. The rest of the
/// pattern must match from there. Android does not backtrack to a later place.
///
/// Source: Google, "Configure Dynamic App Links"; AOSP, `PatternMatcher`.
struct GreedyStarCheck {
    /// The character at which the star stops.
    let stop: String
    /// A text that the pattern matches only with backtracking.
    let witness: String

    /// - Returns: `nil` if backtracking makes no difference.
    init?(_ pattern: String) {
        let scalars = Array(pattern.unicodeScalars)
        // Backtracking takes time proportional to the lengths' product, and a file can have thousands of patterns.
        guard scalars.count <= 200 else { return nil }
        var tries = 2
        var index = 0
        while index < scalars.count, tries > 0 {
            defer { index += 1 }
            guard scalars[index] == "*", index + 1 < scalars.count else { continue }
            let rest = scalars[(index + 1)...]
            let piece = rest.prefix { $0 != "*" }
            guard let first = piece.first, first != "?" else { continue }
            // With one character before the next star, a later match cannot change the result.
            if piece.count == 1, piece.endIndex < scalars.endIndex { continue }
            tries -= 1
            // The stop character, a character that does not match after it, and then a match of the rest.
            let filler: Unicode.Scalar = piece.dropFirst().first == "x" || first == "x" ? "y" : "x"
            var text = String.UnicodeScalarView()
            text.append(contentsOf: Self.plain(scalars[..<index]))
            text.append(first)
            text.append(filler)
            text.append(contentsOf: Self.plain(rest))
            let candidate = Array(text)
            let compiled = DynamicPattern(pattern)
            guard !compiled.matches(candidate), compiled.matches(candidate, goesBack: true) else { continue }
            stop = String(first)
            witness = String(text)
            return
        }
        return nil
    }

    /// A text that matches the pattern. A star becomes an empty text, a question mark becomes one letter.
    private static func plain(_ pattern: ArraySlice<Unicode.Scalar>) -> [Unicode.Scalar] {
        pattern.compactMap { $0 == "*" ? nil : $0 == "?" ? "a" : $0 }
    }
}
