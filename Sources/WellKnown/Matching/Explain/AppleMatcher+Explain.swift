import SSOShared

extension AppleMatcher {
    /// The decision of ``decide(_:app:)`` and its reasons.
    public func explain(_ url: LinkURL, app: String) -> LinkExplanation {
        if let refusal {
            return LinkExplanation(.noMatch, [], "Apple's reader refuses the whole file: \(refusal).", [])
        }
        guard let indices = entriesOfApp[app] else {
            return LinkExplanation(
                .noMatch, [], "No entry of applinks.details names \(app).",
                OpenQuestion.disputes(self, url, app: app, .noMatch))
        }
        var explainer = AppleExplainer(self, url)
        var trials: [RuleTrial] = []
        search: for index in indices {
            for rule in entries[index].rules {
                let trial = explainer.trial(of: rule, in: entries[index])
                // A trial that took too long ended early, and does not say whether the rule matches.
                if explainer.effort.isSpent { break search }
                trials.append(trial)
                if trial.matches { break search }
            }
        }
        let (decision, isGivenUp) = answer(url, app: app)
        return LinkExplanation(
            decision, trials, summary(decision, trials, isGivenUp: isGivenUp, wasCut: explainer.effort.isSpent),
            OpenQuestion.disputes(self, url, app: app, decision), isGivenUp: isGivenUp)
    }

    private func summary(_ decision: LinkDecision, _ trials: [RuleTrial], isGivenUp: Bool, wasCut: Bool) -> String {
        if isGivenUp { return "Given up: comparing the patterns with this address takes too long." }
        if trials.last?.matches != true {
            if decision != .noMatch {
                return "A later rule \(decision == .excluded ? "keeps it out of the app" : "opens the app"); "
                    + "the patterns take too long on this address to show them all."
            }
            if wasCut {
                return "No rule matches. Comparing the patterns with this address takes too long to show them all."
            }
            if trials.isEmpty { return "The app's entries have no rules: nothing opens." }
        }
        return trials.summary
    }
}

/// Tries the rules one by one and records the comparisons.
struct AppleExplainer {
    private let url: LinkURL
    private var texts: AppleTexts
    private var literal: PatternCompiler
    private let notes: RuleNotes
    var effort = MatchEffort()

    init(_ matcher: AppleMatcher, _ url: LinkURL) {
        self.url = url
        texts = AppleTexts(url, matcher.assumptions)
        literal = PatternCompiler(SubstitutionVariables(matcher.file))
        notes = RuleNotes(matcher.file)
    }

    mutating func trial(of rule: AppleRule, in entry: AppleEntry) -> RuleTrial {
        var parts = [path(rule)]
        if parts[0].matches { parts += query(rule) }
        if parts.allSatisfy(\.matches) { parts.append(fragment(rule)) }
        let isObserved =
            entry.key != nil || parts.contains { $0.mark == .observed }
            || rule.isExclude && rule.places.exclude.origin.isDefault
        return RuleTrial(
            entry: entry.index, rule: rule.index, range: rule.range, pointer: entry.pointer(of: rule),
            isExclude: rule.isExclude, parts: parts, mark: isObserved ? .observed : .documented,
            notes: notes.notes(on: rule, of: entry))
    }

    private mutating func path(_ rule: AppleRule) -> PartTrial {
        let text = rule.pathText(&texts)
        let matches = rule.path.matches(text, &effort)
        // Apple documents the whole pattern with the whole path. If the slashes matter, the result was only observed.
        let plain = literal.pattern(rule.path.source, .other, folds: rule.reading.contains(.folded))
        let whole = LinkText(url.bytes, url.pathRange, isASCII: true)
        var sent = rule.reading.contains(.decoded) ? whole.decoded(keepsSlashes: true) : whole
        if rule.reading.contains(.folded) { sent = sent.folded }
        let isPlain = !rule.path.canMatch || plain.matches(sent, &effort) == matches
        let note: String? =
            if isPlain || !matches {
                // The displayed text begins with the slash that is not compared.
                PatternNote.of(rule.path, text, matches: matches, lead: rule.pathKeepsSlash ? "" : "/")
            } else {
                rule.path.bareCount == nil
                    ? "slashes at either end do not count"
                    : "a pattern that ends in /* matches without that segment, too"
            }
        return PartTrial(
            part: .path, pattern: rule.path.source, origin: rule.places.path.origin, range: rule.places.path.range,
            text: sent.string, matches: matches, note: note, mark: mark(rule.places.path, isPlain))
    }

    private mutating func query(_ rule: AppleRule) -> [PartTrial] {
        switch rule.query {
        case .whole(let pattern):
            let (text, isThere) = (texts.query(rule.reading), url.queryRange != nil)
            return [whole(.query, pattern, rule.places.query, text, isThere: isThere, isDocumented: isThere)]
        case .items(let items):
            var parts: [PartTrial] = []
            for item in items {
                parts.append(trial(of: item, rule))
                if parts.last?.matches == false || effort.isSpent { break }
            }
            return parts
        }
    }

    private mutating func trial(of item: AppleRule.Item, _ rule: AppleRule) -> PartTrial {
        let values = texts.values(of: item.name, rule.reading, &effort)
        var decisive = values.first
        var matches = true
        for value in values.isEmpty ? [.empty] : values where matches {
            matches = item.pattern.matches(value, &effort)
            if !matches, !values.isEmpty { decisive = value }
        }
        let note: String? =
            if values.isEmpty { "there is no such item, which counts as an empty one" } else if values.count > 1 {
                "all \(values.count) items of the name must match"
            } else { PatternNote.of(item.pattern, decisive ?? .empty, matches: matches) }
        return PartTrial(
            part: .item(name: String(decoding: item.name, as: UTF8.self)), pattern: item.pattern.source,
            origin: rule.places.query.origin, range: item.range, text: decisive?.string, matches: matches, note: note,
            mark: mark(rule.places.query, true))
    }

    private mutating func fragment(_ rule: AppleRule) -> PartTrial {
        let (text, isThere) = (texts.fragment(rule.reading), url.fragmentRange != nil)
        return whole(
            .fragment, rule.fragment, rule.places.fragment, text, isThere: isThere,
            isDocumented: isThere || rule.fragment.isAnything)
    }

    private mutating func whole(
        _ part: PartTrial.Part, _ pattern: LinkPattern, _ place: AppleRule.Place, _ text: LinkText, isThere: Bool,
        isDocumented: Bool
    ) -> PartTrial {
        let matches = pattern.matches(text, &effort)
        return PartTrial(
            part: part, pattern: pattern.source, origin: place.origin, range: place.range,
            text: isThere ? text.string : nil, matches: matches,
            note: isThere
                ? PatternNote.of(pattern, text, matches: matches) : "there is no \(part), which counts as an empty one",
            mark: mark(place, isDocumented))
    }

    /// Patterns in defaults are not documented and were only observed.
    private func mark(_ place: AppleRule.Place, _ isDocumented: Bool) -> EvidenceMark {
        place.origin.isDefault || !isDocumented ? .observed : .documented
    }
}

/// Describes why a pattern does not match, as a part of a sentence.
enum PatternNote {
    /// - Parameter lead: text that is displayed before both and is not compared.
    static func of(_ pattern: LinkPattern, _ text: LinkText, matches: Bool, lead: String = "") -> String? {
        guard !matches else { return nil }
        if let name = pattern.undefined.first { return "$(\(name)) is defined nowhere, so nothing matches" }
        if !pattern.canMatch { return "a variable without values matches nothing" }
        if text.count < pattern.shortest {
            let (needed, count) = (pattern.shortest + lead.utf8.count, text.count + lead.utf8.count)
            return "needs at least \(needed) character\(needed == 1 ? "" : "s"), has \(count)"
        }
        let shared = zip(pattern.prefix, text.slice).prefix { $0 == $1 }.count
        if shared < pattern.prefix.count {
            let read = lead + String(decoding: text.slice.prefix(shared), as: UTF8.self)
            return read.isEmpty ? "differs from the first character on" : "differs after \"\(read)\""
        }
        if let literal = pattern.literal, text.count > literal.count { return "goes on where the pattern ends" }
        return nil
    }
}
