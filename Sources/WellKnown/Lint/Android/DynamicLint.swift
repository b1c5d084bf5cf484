import SSOShared

/// What is wrong with the rules of one `dynamic_app_link_components`.
enum DynamicLint {
    static func lint(_ item: RelationExtension, pen: inout FindingPen) {
        for member in item.unknownMembers {
            let meant =
                item.components.isAbsent ? NearName.of(member.key, among: [RelationExtension.componentsKey]) : nil
            pen.note(
                DynamicRules.unknownKey,
                "Unknown key \(member.key.quoted) beside dynamic_app_link_components\(meant.map { ": did you mean \($0)?" } ?? ".")",
                atKey: member, fix: meant.map { "Write \"\($0)\"." })
            if meant != nil { return }
        }
        switch item.components {
        case .absent:
            pen.note(
                DynamicRules.malformed, "The extension has no dynamic_app_link_components.", at: item.member.value)
        case .wrongType(let member):
            pen.note(
                DynamicRules.malformed,
                "dynamic_app_link_components is \(member.value.typeName); it must be an array of rules.",
                at: member.value)
        case .present(let rules, let member):
            if rules.isEmpty {
                pen.note(DynamicRules.malformed, "dynamic_app_link_components is empty.", at: member.value)
                return
            }
            var isSound = true
            for rule in rules where !DynamicFieldLint.lint(rule, pen: &pen) { isSound = false }
            // Android discards what is not sound, so there is no order to speak of.
            if isSound { lintOrder(rules, list: member.value, pen: &pen) }
        }
    }

    private static func lintOrder(_ rules: [DynamicComponent], list: JSONNode, pen: inout FindingPen) {
        let catchAll = rules.firstIndex(where: \.matchesEverything)
        if let catchAll, catchAll + 1 < rules.count {
            pen.note(
                DynamicRules.catchAllFirst,
                "Rule \(catchAll + 1) matches every link; \(rules.count - catchAll == 2 ? "the one after it never decides" : "the \(rules.count - catchAll - 1) after it never decide").",
                at: rules[catchAll].node)
        }
        lintReach(rules, until: catchAll ?? rules.count, pen: &pen)
        let reached = rules.prefix((catchAll ?? rules.count - 1) + 1)
        if !reached.contains(where: { $0.exclude.value != true }) {
            pen.note(DynamicRules.excludeOnly, "No rule allows a link: the app opens none.", at: list)
        } else if catchAll == nil {
            pen.note(
                DynamicRules.noCatchAll, "Links that none of the \(rules.count) rules names do not open the app.",
                at: list)
        }
        let paths = DynamicPatternLint.paths(of: rules)
        let matcher = DynamicMatcher(rules)
        for rule in reached { DynamicPatternLint.lint(rule, beside: paths, of: matcher, pen: &pen) }
        pen.note(DynamicRules.newOnly, "Android 14 and older ignore these rules.", at: list)
    }
}

extension DynamicLint {
    /// Rules that others before them cover; those behind a rule for everything have been told.
    private static func lintReach(_ rules: [DynamicComponent], until end: Int, pen: inout FindingPen) {
        // As languages: the work grows with the square of the rules.
        guard rules.count <= 64, pen.comparisonsLeft > 0 else { return }
        pen.comparisonsLeft -= 1
        var limits = RuleReach.Limits()
        limits.perRule = 100_000
        limits.total = 400_000
        for (index, reach) in RuleReach.rules(DynamicMatcher(rules), limits: limits).prefix(end).enumerated() {
            let node = rules[index].node
            switch reach.verdict {
            case .decides, .notDecided: break
            case .covered(let other, let sample):
                pen.note(
                    DynamicRules.shadowed,
                    "Rule \(index + 1) never decides: rule \(other + 1) matches all that it matches, \(sample.tail) for "
                        + "example.", at: node)
            case .coveredTogether(let other, let sample):
                pen.note(
                    DynamicRules.shadowed,
                    "Rule \(index + 1) never decides: the rules before it match all that it matches; rule \(other + 1) "
                        + "decides \(sample.tail).", at: node)
            case .impossible: pen.note(DynamicRules.shadowed, "Rule \(index + 1) matches no link at all.", at: node)
            }
        }
    }
}

extension LinkURL {
    /// The address without its host, quoted.
    fileprivate var tail: String {
        (path + (query.map { "?" + $0 } ?? "") + (fragment.map { "#" + $0 } ?? "")).quoted
    }
}

extension DynamicComponent {
    /// A path of stars and nothing else to meet.
    var matchesEverything: Bool {
        guard isObject, query.isAbsent, fragment.isAbsent, let path = path.value, !path.isEmpty else { return false }
        let stars = path.utf8.first == UInt8(ascii: "/") ? path.utf8.dropFirst() : path.utf8[...]
        return !stars.isEmpty && stars.allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
