extension DynamicMatcher {
    /// The decision of ``decide(_:)`` and its reasons.
    public func explain(_ url: LinkURL) -> LinkExplanation {
        let decision = decide(url)
        guard decision != .manifestDecides else {
            let reason =
                flaws.first.map { "Android discards all dynamic rules, because \($0.reason)" }
                ?? "There are no dynamic rules"
            return LinkExplanation(
                decision, [], "\(reason): the app opens what its manifest says.", disputes(url, decision))
        }
        let texts = DynamicTexts(url)
        var trials: [RuleTrial] = []
        for rule in rules {
            let trial = trial(of: rule, texts)
            trials.append(trial)
            if trial.matches { break }
        }
        return LinkExplanation(decision, trials, trials.summary, disputes(url, decision))
    }

    private func trial(of rule: Rule, _ texts: DynamicTexts) -> RuleTrial {
        var parts: [PartTrial] = []
        if let path = rule.path {
            let matches = path.matches(texts.path)
            parts.append(
                part(.path, path, rule.pathRange, Self.string(texts.path), matches, note(path, texts.path, matches)))
        }
        parts += rule.items.map { trial(of: $0, texts) }
        if let fragment = rule.fragment {
            let matches = texts.fragment.map { fragment.matches($0) } ?? false
            let reason =
                if let text = texts.fragment { note(fragment, text, matches) } else {
                    String?("there is no fragment, and absent never matches")
                }
            parts.append(
                part(.fragment, fragment, rule.fragmentRange, texts.fragment.map(Self.string), matches, reason))
        }
        // What follows a part that does not match is not looked at.
        let tried = parts.firstIndex { !$0.matches }.map { parts[...$0] } ?? parts[...]
        return RuleTrial(
            entry: statement, rule: rule.index, range: rule.range, pointer: "\(pointer)/\(rule.index)",
            isExclude: rule.isExclude, parts: Array(tried), mark: .documented)
    }

    private func trial(of item: Rule.Item, _ texts: DynamicTexts) -> PartTrial {
        let match = item.match(in: texts, DynamicAssumptions())
        let named = texts.items?.first { $0.starts(with: (item.name + "=").unicodeScalars) }
        let shown = (match ?? named).map { Self.string(Array($0.dropFirst(item.name.unicodeScalars.count + 1))) }
        let isValueless = texts.items?.contains { $0.elementsEqual(item.name.unicodeScalars) } ?? false
        let note: String? =
            if match != nil { nil } else if named != nil { "no item of the name matches" } else if isValueless {
                "an item without = is none to AOSP"
            } else { "there is no such item" }
        return part(.item(name: item.name), item.pattern, item.range, shown, match != nil, note)
    }

    private func part(
        _ part: PartTrial.Part, _ pattern: DynamicPattern, _ range: Range<Int>?, _ text: String?, _ matches: Bool,
        _ note: String?
    ) -> PartTrial {
        PartTrial(
            part: part, pattern: pattern.source, origin: .component, range: range, text: text, matches: matches,
            note: note, mark: .documented)
    }

    private static func string(_ scalars: [Unicode.Scalar]) -> String { String(String.UnicodeScalarView(scalars)) }

    private func note(_ pattern: DynamicPattern, _ text: [Unicode.Scalar], _ matches: Bool) -> String? {
        guard !matches, pattern.matches(text, goesBack: true) else { return nil }
        return "a star stops at the first character that follows it in the pattern, and never goes back"
    }

    private func disputes(_ url: LinkURL, _ decision: LinkDecision) -> [LinkDispute] {
        var disputes: [LinkDispute] = []
        func ask(_ code: String, _ question: String, taken: String, other: String, _ assumptions: DynamicAssumptions) {
            let otherwise = decide(url, assumptions)
            guard otherwise != decision else { return }
            disputes.append(
                LinkDispute(code: code, question: question, taken: taken, other: other, otherwise: otherwise))
        }
        ask(
            "android-star", "May a star go back and take more?",
            taken: "No: \"up until the character after the wildcard\" (Google), as AOSP's PatternMatcher",
            other: "Yes: nobody has shown which matcher Google's services choose for stars inside a pattern",
            DynamicAssumptions(goesBack: true))
        ask(
            "android-valueless", "Does an item without = have an empty value?",
            taken: "No: AOSP compares the text of the pair, with its =",
            other: "Yes: Google does not say", DynamicAssumptions(readsValueless: true))
        ask(
            "android-star-next", "Is a wildcard directly after a star the plain character at which the star stops?",
            taken: "No: ** is one star, and *? at least one character",
            other: "Yes: \"up until the character after the wildcard in the pattern\" (Google)",
            DynamicAssumptions(readsNextLiterally: true))
        ask(
            "android-port", "Does a link with a port open the app?",
            taken: "Yes: Android verifies hosts, and an intent filter without a port takes every port (AOSP)",
            other: "No: a site of Digital Asset Links is scheme, host and port (Google)",
            DynamicAssumptions(refusesPorts: true))
        if !flaws.isEmpty, flaws.allSatisfy(\.isDisputed) {
            ask(
                "android-empty-rule", "Does a rule without any part void the list?",
                taken: "Yes: \"malformed or empty\" (Google)", other: "No: it never matches (AOSP)",
                DynamicAssumptions(ignoresFlaws: true))
        }
        return disputes
    }
}
