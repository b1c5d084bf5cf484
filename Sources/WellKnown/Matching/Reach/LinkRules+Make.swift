extension AppleMatcher {
    /// The rules of an app in the order in which they are tried, with where they stand.
    func orderedRules(of app: String) -> [(entry: AppleEntry, rule: AppleRule)] {
        (entriesOfApp[app] ?? []).flatMap { index in entries[index].rules.map { (entries[index], $0) } }
    }

    /// - Parameter name: tells the variables of one file from those of another.
    func linkRules(of app: String, in spaces: LinkSpaces, name: String) -> LinkRules {
        let indices = entriesOfApp[app] ?? []
        var starts: [Int: Int] = [:]
        var count = 0
        for index in indices {
            starts[index] = count
            count += entries[index].rules.count
        }
        let ordered = orderedRules(of: app)
        let rules = ordered.map { Self.linkRule($0.rule, spaces, name) }
        // Rules that read addresses otherwise than the rest are compared by examples at least.
        let other = LinkSpaces(isDecoded: !spaces.isDecoded, tellsAbsent: false)
        let samples = zip(ordered, rules).flatMap { pair, made in
            made != nil
                ? []
                : RuleSamples.of(
                    pair.rule, in: pair.rule.reading.contains(.decoded) == spaces.isDecoded ? spaces : other
                ).flatMap { [$0] + RuleSamples.otherwiseEncoded($0) }
        }
        return LinkRules(rules, samples: samples, excludes: ordered.map(\.rule.isExclude), fallback: .noMatch) { url in
            var texts = AppleTexts(url, self.conventions)
            var effort = MatchEffort()
            guard let found = self.first(in: indices, &texts, &effort), let start = starts[found.entry] else {
                return nil
            }
            return start + found.rule
        }
    }

    private static func linkRule(_ rule: AppleRule, _ spaces: LinkSpaces, _ name: String) -> LinkRules.Rule? {
        guard rule.reading.contains(.decoded) == spaces.isDecoded else { return nil }
        let folds = rule.reading.contains(.folded)
        func condition(_ pattern: LinkPattern, _ space: PartSpace, _ kind: PartTrack.Kind, _ label: String) -> Int? {
            let variables = pattern.source.contains("$(") ? name : ""
            return space.add("\(label) \(folds) \(variables) \(pattern.source)", kind) {
                PartAutomaton(pattern, folds: folds, isDecoded: spaces.isDecoded)
            }
        }

        var path: Int?
        if !rule.path.isAnything {
            path = condition(rule.path, spaces.path, .whole, "path")
            if path == nil { return nil }
        }
        var query: [Int] = []
        switch rule.query {
        case .whole(let pattern):
            if !pattern.isAnything {
                guard let index = condition(pattern, spaces.query, .whole, "query") else { return nil }
                query.append(index)
            }
        case .items(let items):
            for item in items where !item.pattern.isAnything {
                let label = "item " + item.name.map(String.init).joined(separator: ".")
                guard let index = condition(item.pattern, spaces.query, .items(name: item.name), label) else {
                    return nil
                }
                query.append(index)
            }
        }
        var fragment: [Int] = []
        if !rule.fragment.isAnything {
            guard let index = condition(rule.fragment, spaces.fragment, .whole, "fragment") else { return nil }
            fragment.append(index)
        }
        return LinkRules.Rule(
            path: path, query: query, fragment: fragment, isExclude: rule.isExclude,
            prefix: folds ? [] : rule.path.prefix, samples: RuleSamples.of(rule, in: spaces))
    }
}

extension DynamicMatcher {
    func linkRules(in spaces: LinkSpaces) -> LinkRules {
        guard flaws.isEmpty, !rules.isEmpty else {
            return LinkRules([], fallback: .manifestDecides) { _ in nil }
        }
        let made = rules.map { Self.linkRule($0, spaces) }
        return LinkRules(made, excludes: rules.map(\.isExclude), fallback: .noMatch) { url in
            let texts = DynamicTexts(url)
            return self.rules.firstIndex { $0.matches(texts, DynamicConventions()) }
        }
    }

    private static func linkRule(_ rule: Rule, _ spaces: LinkSpaces) -> LinkRules.Rule? {
        var path: Int?
        if let pattern = rule.path, pattern.steps != [.star] {
            path = spaces.path.add(pattern.source, .whole) { PartAutomaton(pattern) }
            if path == nil { return nil }
        }
        var query: [Int] = []
        for item in rule.items {
            let add = spaces.query.add("\(item.name.utf8.count) \(item.name) \(item.pattern.source)", .whole) {
                PartAutomaton(item.pattern, isItem: true)
            }
            guard let add else { return nil }
            query.append(add)
        }
        var fragment: [Int] = []
        if let pattern = rule.fragment {
            guard let index = spaces.fragment.add(pattern.source, .whole, { PartAutomaton(pattern) }) else {
                return nil
            }
            fragment.append(index)
        }
        let prefix = (rule.path?.steps ?? []).prefix { if case .scalar = $0 { true } else { false } }
        let bytes = prefix.flatMap { step in
            if case .scalar(let scalar) = step { Array(String(scalar).utf8) } else { [UInt8]() }
        }
        return LinkRules.Rule(
            path: path, query: query, fragment: fragment, isExclude: rule.isExclude, prefix: bytes,
            samples: RuleSamples.of(rule, in: spaces))
    }
}
