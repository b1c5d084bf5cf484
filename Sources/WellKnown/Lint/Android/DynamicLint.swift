import SSOShared

/// Checks the rules of one `dynamic_app_link_components`.
enum DynamicLint {
    static func lint(_ item: RelationExtension, into findings: inout FindingCollector) {
        for member in item.unknownMembers {
            let meant =
                item.components.isAbsent
                ? SpellingSuggestion.of(member.key, among: [RelationExtension.componentsKey]) : nil
            findings.add(
                DynamicRules.unknownKey, at: member,
                "Unknown key \(member.key.quoted) beside dynamic_app_link_components\(meant.map { ": did you mean \($0)?" } ?? ".")",
                fix: meant.map { .rename(member, to: $0) })
            if meant != nil { return }
        }
        switch item.components {
        case .absent:
            findings.add(
                DynamicRules.malformed, at: item.member.value, "The extension has no dynamic_app_link_components.")
        case .wrongType(let member):
            findings.add(
                DynamicRules.malformed, "dynamic_app_link_components", member.value, mustBe: "an array of rules")
        case .present(let rules, let member):
            if rules.isEmpty {
                findings.add(DynamicRules.malformed, at: member.value, "dynamic_app_link_components is empty.")
                return
            }
            var isSound = true
            for rule in rules where !DynamicFieldLint.lint(rule, into: &findings) { isSound = false }
            // Android discards invalid rules, so their order does not matter.
            if isSound { lintOrder(rules, list: member.value, into: &findings) }
        }
    }

    private static func lintOrder(_ rules: [DynamicComponent], list: JSONNode, into findings: inout FindingCollector) {
        let catchAll = rules.firstIndex(where: \.matchesEverything)
        if let catchAll, catchAll + 1 < rules.count {
            let excludes = rules[catchAll].exclude.value ?? false
            let differs = rules[(catchAll + 1)...].contains { ($0.exclude.value ?? false) != excludes }
            let count = rules.count - catchAll - 1
            let rest = count == 1 ? "the one after it never decides" : "the \(count) after it never decide"
            findings.add(
                DynamicRules.catchAllFirst, at: rules[catchAll].node,
                "Rule \(catchAll + 1) matches every link; \(rest)\(differs ? "" : ", and would decide the same").",
                severity: differs ? nil : .info)
        }
        let foreign = Set(rules.indices.filter { !DynamicPatternLint.lintSyntax(rules[$0], into: &findings) })
        lintCoverage(rules, until: catchAll ?? rules.count, besides: foreign, into: &findings)
        let reached = rules.prefix((catchAll ?? rules.count - 1) + 1)
        if !reached.contains(where: { $0.exclude.value != true }) {
            findings.add(DynamicRules.excludeOnly, at: list, "No rule allows a link: the app opens none.")
        } else if catchAll == nil {
            findings.add(
                DynamicRules.noCatchAll, at: list,
                "Links that none of the \(rules.count) rules names do not open the app.")
        }
        let paths = DynamicPatternLint.paths(of: rules)
        let matcher = DynamicMatcher(rules)
        for (index, rule) in reached.enumerated() where !foreign.contains(index) {
            DynamicPatternLint.lint(rule, beside: paths, of: matcher, into: &findings)
        }
        findings.add(DynamicRules.newOnly, at: list, "Android 14 and older ignore these rules.")
    }
}

extension DynamicLint {
    /// Reports rules that earlier rules cover. Rules after a catch-all already have a finding.
    ///
    /// - Parameter foreign: rules in the syntax of something else, which have a finding.
    private static func lintCoverage(
        _ rules: [DynamicComponent], until end: Int, besides foreign: Set<Int>, into findings: inout FindingCollector
    ) {
        // The check compares regular languages. The work grows with the square of the number of rules.
        guard rules.count <= 64, findings.comparisonsLeft > 0 else { return }
        findings.comparisonsLeft -= 1
        let limits = RuleCoverage.Limits(perRule: 100_000, total: 400_000)
        for (index, reach) in RuleCoverage.rules(DynamicMatcher(rules), limits: limits).prefix(end).enumerated()
        where !foreign.contains(index) {
            let node = rules[index].node
            switch reach.verdict {
            case .decides, .notDecided: break
            case .covered(let other, let sample):
                findings.add(
                    DynamicRules.shadowed, at: node,
                    "Rule \(index + 1) never decides: rule \(other + 1) matches all that it matches, \(sample.address.quoted) for "
                        + "example.")
            case .coveredTogether(let other, let sample):
                findings.add(
                    DynamicRules.shadowed, at: node,
                    "Rule \(index + 1) never decides: the rules before it match all that it matches; rule \(other + 1) "
                        + "decides \(sample.address.quoted).")
            case .impossible: findings.add(DynamicRules.shadowed, at: node, "Rule \(index + 1) matches no link at all.")
            }
        }
    }
}

extension DynamicComponent {
    /// Whether the rule has a path of stars only, and no other condition.
    var matchesEverything: Bool {
        guard isObject, query.isAbsent, fragment.isAbsent, let path = path.value, !path.isEmpty else { return false }
        let stars = path.utf8.first == UInt8(ascii: "/") ? path.utf8.dropFirst() : path.utf8[...]
        return !stars.isEmpty && stars.allSatisfy { $0 == UInt8(ascii: "*") }
    }
}

/// Checks that dynamic rules are at the place where Android reads them, and then checks the rules.
enum DynamicPlaceLint {
    static func lint(_ statement: AssetStatement, into findings: inout FindingCollector) {
        lintStatement(statement, into: &findings)
        if let target = statement.target.value { lintTarget(target, into: &findings) }
        switch statement.relationExtensions {
        case .absent: break
        case .wrongType(let member):
            findings.add(DynamicRules.malformed, "relation_extensions", member.value, mustBe: "an object")
        case .present(let extensions, let member):
            if extensions.isEmpty {
                findings.add(DynamicRules.malformed, at: member.value, "relation_extensions is empty.")
            }
            for item in extensions { lint(item, of: statement, into: &findings) }
        }
    }

    private static func lintStatement(_ statement: AssetStatement, into findings: inout FindingCollector) {
        for member in statement.unknownMembers {
            if member.key == RelationExtension.componentsKey {
                findings.add(
                    DynamicRules.wrongPlace, at: member, "dynamic_app_link_components is in the statement itself.")
            } else if member.key == "exclude" {
                lintExclude(member, in: "the statement", into: &findings)
            }
        }
    }

    private static func lintTarget(_ target: AssetTarget, into findings: inout FindingCollector) {
        for member in target.unknownMembers
        where member.key == RelationExtension.componentsKey || member.key == "relation_extensions" {
            findings.add(DynamicRules.wrongPlace, at: member, "\(member.key) is in the target.")
        }
        for member in target.unknownMembers where isBogusExclude(member) {
            lintExclude(member, in: "the target", into: &findings)
        }
    }

    /// Whether the member is a list of excluded paths in a form that a blog post invented.
    static func isBogusExclude(_ member: JSONMember) -> Bool {
        member.key == "exclude" && (member.value["paths"] != nil || member.value.array != nil)
    }

    private static func lintExclude(_ member: JSONMember, in place: String, into findings: inout FindingCollector) {
        guard isBogusExclude(member) else {
            findings.add(StatementRules.unknownKey, at: member, "Unknown key \"exclude\" in \(place).")
            return
        }
        findings.add(DynamicRules.bogusSchema, at: member, "exclude in \(place) is not a known key.")
    }

    private static func lint(
        _ item: RelationExtension, of statement: AssetStatement, into findings: inout FindingCollector
    ) {
        guard item.relation != RelationExtension.componentsKey else {
            findings.add(
                DynamicRules.wrongPlace, at: item.member,
                "dynamic_app_link_components is in relation_extensions itself, not under its relation.")
            return
        }
        guard item.relation == RelationNames.handleAllURLs else {
            let rules = item.components.isAbsent ? "An extension" : "dynamic_app_link_components"
            findings.add(
                DynamicRules.wrongRelation, at: item.member,
                "\(rules) is under \(item.relation.quoted), not under handle_all_urls.",
                fix: "Write \"\(RelationNames.handleAllURLs)\".")
            return
        }
        if !statement.relations.isEmpty, !statement.relations.contains(RelationNames.handleAllURLs) {
            findings.add(
                DynamicRules.wrongRelation, at: item.member,
                "The statement has dynamic rules, but its relation does not name handle_all_urls.")
        }
        if let target = statement.target.value, TargetLint.namespace(of: target) == "web" {
            findings.add(
                DynamicRules.wrongPlace, at: item.member,
                "Dynamic rules are in a statement about a site. Only apps have them.")
        }
        DynamicLint.lint(item, into: &findings)
    }
}
