extension LinkDiff {
    /// Finds the open questions that matter to the comparison, with a link for each. It tries the witnesses of the
    /// changes and examples of the rules, within a limit.
    public func withDisputes(_ old: AppleMatcher, _ new: AppleMatcher) -> LinkDiff {
        var examples: [(app: String, link: LinkURL)] = []
        for app in (old.apps + new.apps).uniqued(by: { [old.entriesOfApp[$0] ?? [], new.entriesOfApp[$0] ?? []] }) {
            let (rules, spaces) = Self.linkRules(old, new, app: app)
            examples += Self.examples(of: [rules.old, rules.new], in: spaces).map { (app, $0) }
        }
        let size = max(old.entries.reduce(0) { $0 + $1.rules.count }, new.entries.reduce(0) { $0 + $1.rules.count })
        return withDisputes(examples, size: size) { link, app in
            (old.explain(link, app: app), new.explain(link, app: app))
        }
    }

    public func withDisputes(_ old: AndroidMatcher, _ new: AndroidMatcher) -> LinkDiff {
        var examples: [(app: String, link: LinkURL)] = []
        var size = 0
        for app in (old.apps + new.apps).uniqued(by: { $0 }) {
            let spaces = LinkSpaces(isDecoded: true, tellsAbsent: true)
            let rules = [old.linkRules(of: app, in: spaces), new.linkRules(of: app, in: spaces)]
            size = max(size, rules[0].rules.count, rules[1].rules.count)
            examples += Self.examples(of: rules, in: spaces).map { (app, $0) }
        }
        return withDisputes(examples, size: size) { link, app in
            (old.explain(link, package: app), new.explain(link, package: app))
        }
    }

    /// The number of rules that all examples together may try. An explanation of a large file takes milliseconds.
    private static let mostRulesTried = 20_000
    private static let mostExamples = 200
    /// A longer link is an example of a rule with hundreds of items, each of which is looked for in it.
    private static let longestExample = 2_000

    private static func examples(of programs: [LinkRules], in spaces: LinkSpaces) -> [LinkURL] {
        var links: [LinkURL] = []
        let longest = programs.map(\.rules.count).max() ?? 0
        for index in 0..<min(longest, mostExamples) {
            for program in programs where index < program.rules.count {
                links += program.rules[index]?.samples.prefix(2).filter { $0.bytes.count <= longestExample } ?? []
            }
        }
        return links
    }

    private func withDisputes(
        _ examples: [(app: String, link: LinkURL)], size: Int,
        explain: (LinkURL, String) -> (LinkExplanation, LinkExplanation)
    ) -> LinkDiff {
        var diff = self
        var seen: Set<[String]> = []
        let count = max(3, min(Self.mostExamples, Self.mostRulesTried / max(1, size)))
        let all = changes.map { (app: $0.app, link: $0.witness) } + examples
        for (app, link) in all.prefix(changes.count + count) {
            let (old, new) = explain(link, app)
            for code in Set((old.disputes + new.disputes).map(\.code)).sorted() {
                let theirs = old.disputes.first { $0.code == code }
                let ours = new.disputes.first { $0.code == code }
                let isSame = (theirs?.otherwise ?? old.decision) == (ours?.otherwise ?? new.decision)
                guard !isSame else { continue }
                for (side, dispute) in [(Dispute.Side.old, theirs), (.new, ours)] {
                    guard let dispute, seen.insert([side.rawValue, code]).inserted else { continue }
                    diff.disputes.append(Dispute(side: side, app: app, witness: link, dispute: dispute))
                }
            }
        }
        return diff
    }
}
