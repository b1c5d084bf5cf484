import SSOShared

extension AASALint {
    /// Checks one component: its keys, their types and its patterns.
    mutating func component(
        _ component: AppLinksComponent, _ name: @autoclosure () -> String,
        _ defaults: [(origin: ValueOrigin, fields: ComponentFields)]
    ) {
        guard let fields = component.fields else { return }
        _ = unknownKeys(
            fields.unknownMembers, known: ComponentFields.keys, in: name(), as: AppleComponentRules.unknownKey)
        let merged = MergedFields(layers: [(.component, fields)] + defaults, wrongTypeKeepsDefault: false)
        if facts?.empty.contains(component.node.range.lowerBound) == true {
            findings.add(
                AppleComponentRules.emptyComponent, at: component.node,
                "\(name().capitalizedFirst) sets nothing that systems know, and matches every address")
        }
        fieldTypes(fields)
        let reading = PatternReading(
            isEncoded: merged.value(\.percentEncoded, builtIn: true).content, isLegacy: false,
            folds: !merged.value(\.caseSensitive, builtIn: true).content,
            isExclude: merged.value(\.exclude, builtIn: false).content, mayAddExclude: fields.exclude.isAbsent)
        if let path = fields.path.value, let node = fields.path.member?.value { self.path(path, node, reading) }
        if let fragment = fields.fragment.value, let node = fields.fragment.member?.value {
            if fragment.hasPrefix("#") {
                findings.add(
                    AppleComponentRules.querySyntax, at: node,
                    "\(fragment.quoted) has the # that begins a fragment: no fragment has it",
                    fix: .write(String(fragment.drop { $0 == "#" }), at: node))
            } else {
                characters(fragment, node, reading)
            }
        }
        query(fields, name(), reading, isExclude: merged.value(\.exclude, builtIn: false).content)
    }

    /// Reports values that are ignored because of their type. `defaults` have the same keys.
    mutating func fieldTypes(_ fields: ComponentFields) {
        defer { exclude(fields) }
        let rules = AppleComponentRules.self
        let texts = [("/", fields.path), ("#", fields.fragment)]
        for case (let key, .wrongType(let member)) in texts {
            findings.add(
                rules.type, at: member.value,
                "\(key.quoted) is \(member.value.typeName), and counts as \"*\"; it must be a string")
        }
        for case (let key, .wrongType(let member)) in [
            ("caseSensitive", fields.caseSensitive), ("percentEncoded", fields.percentEncoded),
        ] {
            findings.add(
                rules.type, key, member.value, mustBe: "true or false",
                fix: FindingFix.unquote(member.value, words: "Write true or false, without quotes.")
                    ?? "Write true or false, without quotes.")
        }
        guard case .wrongType(let member) = fields.query else { return }
        switch member.value.value {
        case .array: findings.add(rules.queryArray, at: member.value, "\"?\" is a list, and is ignored")
        case .object(let items):
            for item in items where item.value.string == nil {
                findings.add(
                    rules.queryType, at: item.value,
                    "The pattern of \(item.key.quoted) is \(item.value.typeName): the whole dictionary is ignored")
            }
        default:
            findings.add(
                rules.type, at: member.value, "\"?\" is \(member.value.typeName), and counts as \"*\"",
                fix: "Write a string, or a dictionary of names and patterns.")
        }
    }

    private mutating func exclude(_ fields: ComponentFields) {
        guard case .wrongType(let member) = fields.exclude else { return }
        let value = member.value.string.map { " \($0.quoted)" } ?? ""
        findings.add(
            AppleComponentRules.excludeType, at: member.value,
            "exclude is \(member.value.typeName)\(value), and counts as false; it must be true or false")
    }

    private mutating func query(
        _ fields: ComponentFields, _ name: @autoclosure () -> String, _ reading: PatternReading, isExclude: Bool
    ) {
        switch fields.query.value {
        case .whole(let pattern):
            if let node = fields.query.member?.value {
                if pattern.hasPrefix("?"), PathPatternHeuristics(pattern).hasQuery {
                    return findings.add(
                        AppleComponentRules.querySyntax, at: node,
                        "\(pattern.quoted) has the ? that begins a query: it stands for one character here",
                        fix: .write(String(pattern.dropFirst()), at: node))
                }
                characters(pattern, node, reading)
                doubleStar(pattern, node)
            }
        case .items(let items):
            let isOpen = items.allSatisfy { $0.pattern.utf8.allSatisfy { $0 == UInt8(ascii: "*") } }
            for item in items { queryItem(item, name(), reading, excludesAll: isExclude && isOpen) }
        case nil: break
        }
    }

    private mutating func queryItem(
        _ item: (name: String, pattern: String, member: JSONMember), _ name: @autoclosure () -> String,
        _ reading: PatternReading, excludesAll: Bool
    ) {
        let rules = AppleComponentRules.self
        if let fault = QueryItemFault(name: item.name, pattern: item.pattern) {
            return findings.add(
                rules.querySyntax, at: item.member, fault.message, fix: fault.name.map { .rename(item.member, to: $0) })
        }
        let isAnything = !item.pattern.isEmpty && item.pattern.utf8.allSatisfy { $0 == UInt8(ascii: "*") }
        if isAnything, excludesAll {
            findings.add(
                rules.queryStarExclude, at: item.member.value,
                "\(name().capitalizedFirst) excludes its addresses without \(item.name.quoted), too: \"*\" matches the absent item"
            )
        } else if isAnything {
            findings.add(
                rules.queryStarNoOp, at: item.member.value, "\"*\" also matches addresses without \(item.name.quoted)")
        }
        if item.name.hasSuffix("[]") || item.name.uppercased().hasSuffix("%5B%5D"), !isAnything {
            findings.add(
                rules.queryRepeated, at: item.member,
                "\(item.name.quoted) usually repeats: all its values must match the pattern")
        }
        characters(item.pattern, item.member.value, reading)
        doubleStar(item.pattern, item.member.value)
        // Names are not patterns. They are compared with the URL as it is sent.
        if reading.isEncoded, item.name.utf8.contains(where: { $0 >= 0x80 }) {
            findings.add(
                ApplePathRules.nonASCII, at: item.member,
                "the item name \(item.name.quoted) is never sent like this: the rule matches nothing",
                fix: .rename(item.member, to: PatternEscapes.encoded(item.name)))
        }
    }
}

/// How a pattern is compared with a URL.
struct PatternReading {
    /// Whether the pattern is compared with the percent-encoded URL. If false, the URL is decoded first.
    let isEncoded: Bool
    /// Whether the pattern is an element of the legacy `paths`.
    let isLegacy: Bool
    /// Whether upper-case and lower-case letters are equal.
    var folds = false
    /// Whether the rule keeps its addresses in the browser.
    var isExclude = false
    /// Whether the component has no `exclude`.
    var mayAddExclude = false
}

extension AASALint {
    mutating func legacyPath(_ node: JSONNode) {
        guard let text = node.string else { return }
        let reading = PatternReading(isEncoded: true, isLegacy: true)
        if text.hasPrefix("!/") {
            return findings.add(
                ApplePathRules.notSyntax, at: node, "\"!\" in \(text.quoted) is text here, no keyword",
                fix: .write("NOT \(text.dropFirst())", at: node))
        }
        let letters = text.drop { $0.isWhitespace }
        let isNot = letters.prefix(3).lowercased() == "not"
        let rest = letters.dropFirst(3)
        let isKeyword = isNot && (rest.first.map { $0.isWhitespace || "/*(".contains($0) } ?? (letters == "NOT"))
        guard isKeyword else { return path(text, node, reading) }
        let path = rest.drop { $0.isWhitespace }
        guard !path.isEmpty else {
            return findings.add(
                ApplePathRules.notSyntax, at: node, "\(text.quoted) has no path after NOT",
                fix: .remove(at: node.range.lowerBound, words: "Write the path that it excludes, or remove it."))
        }
        guard text.hasPrefix("NOT "), text.dropFirst(4).first.map({ !$0.isWhitespace }) ?? false else {
            return findings.add(
                ApplePathRules.notSyntax, at: node,
                "\(text.quoted) is not written as the system reads NOT: in capitals, followed by one blank",
                fix: .write("NOT \(path)", at: node))
        }
        self.path(String(path), node, PatternReading(isEncoded: true, isLegacy: true, isExclude: true))
    }

    /// Checks one path pattern: first syntax that patterns do not have, then a meaning that is not the apparent one.
    mutating func path(_ text: String, _ node: JSONNode, _ reading: PatternReading) {
        guard !text.hasInvisible else { return }
        guard !text.isEmpty else {
            return findings.add(
                ApplePathRules.emptyPath, at: node, "The path pattern is empty: the root, not every address")
        }
        let pattern = PathPatternHeuristics(text)
        var shown: String { text.quoted }
        if !reading.isLegacy, let negation = pattern.negation {
            return findings.add(
                ApplePathRules.notKeyword, at: node, "\(negation.word) in \(shown) is text here, no keyword",
                fix: Self.excluding(negation.path, node, reading))
        }
        if let foreign = pattern.foreignSyntax {
            return findings.add(
                foreign.rule, at: node, foreign.message, severity: foreign.severity,
                fix: pattern.fix(foreign.rule, isList: reading.isLegacy))
        }
        characters(text, node, reading)
        shape(pattern, node, reading)
    }

    /// An exclude in place of NOT.
    private static func excluding(_ path: String, _ node: JSONNode, _ reading: PatternReading) -> FindingFix {
        let json = JSONText.string(path)
        let changes: [FindingFix.Change] =
            reading.mayAddExclude
            ? [.json(node.range, "\(json), \"exclude\": true")] : reading.isExclude ? [.string(node.range, path)] : []
        return FindingFix(words: "Write \"/\": \(path.quoted), \"exclude\": true.", changes)
    }

    /// Reports valid patterns that may surprise their author.
    private mutating func shape(_ pattern: PathPatternHeuristics, _ node: JSONNode, _ reading: PatternReading) {
        var shown: String { pattern.text.quoted }
        doubleStar(pattern.text, node)
        let stars = pattern.starCount
        if stars > Self.fewStars {
            findings.add(ApplePathRules.complexity, at: node, "\(stars) stars in one pattern")
        } else if pattern.hasInnerStar {
            findings.add(
                ApplePathRules.starCrossesSlash, at: node,
                "\"*\" in \(shown) crosses slashes: \(pattern.deepWitness.quoted) matches, too")
        }
        if let word = pattern.wordBeforeFinalStar {
            findings.add(
                ApplePathRules.starWithoutSlash, at: node, "\(shown) also matches \((word + "foo").quoted)",
                reason: reading.isExclude
                    ? "Longer words also match, so addresses of other pages stay in the browser. The query is not part of "
                        + "the path." : nil,
                fix:
                    "If the word and its pages are meant, write \((word + "/*").quoted): it also matches \(word.quoted)."
            )
        }
        if pattern.lacksSlash, pattern.text.first?.isWhitespace != true { slashless.append(node) }
    }

    mutating func doubleStar(_ text: String, _ node: JSONNode) {
        guard PathPatternHeuristics.hasDoubleStar(text) else { return }
        findings.add(
            ApplePathRules.doubleStar, at: node, "\"**\" in \(text.quoted) means what \"*\" means",
            fix: .write(text.replacing(/\*+/, with: "*"), at: node))
    }

    /// Published patterns have fewer stars than this.
    private static let fewStars = 6

    /// Reports characters that a URL never contains as sent.
    mutating func characters(_ text: String, _ node: JSONNode, _ reading: PatternReading) {
        guard !text.hasInvisible else { return }
        let isPlain = text.utf8.allSatisfy { $0 > 0x25 && $0 < 0x7f && $0 != 0x3c && $0 != 0x3e }
        // Nearly all patterns are plain: they have no percent-encoding and need none.
        guard !isPlain else { return }
        let escapes = PatternEscapes(text)
        var shown: String { text.quoted }
        guard reading.isEncoded else {
            if let escape = escapes.first, escape.uppercased() != "%2F" {
                findings.add(
                    ApplePathRules.percentInDecoded, at: node,
                    "\(escape.quoted) in \(shown) never matches: the address is decoded, the pattern is not")
            }
            return
        }
        if let scalar = text.unicodeScalars.first(where: Self.isNeverSent) {
            let trimmed = PackageName.trimmed(text)
            if trimmed != text {
                // An escaped blank matches addresses that end in a blank alone.
                findings.add(
                    ApplePathRules.nonASCII, at: node,
                    "A space is before or after the pattern \(shown): no address has it, and the rule matches nothing",
                    fix: FindingFix(words: "Remove the space: write \(trimmed.quoted).", [.string(node.range, trimmed)])
                )
            } else {
                findings.add(
                    ApplePathRules.nonASCII, at: node,
                    "\(String(scalar).quoted) in \(shown) is never sent like this: the rule matches nothing",
                    fix: .write(PatternEscapes.encoded(text, limit: text.utf8.count), at: node))
            }
        }
        if let escape = escapes.lower, !reading.folds {
            findings.add(
                ApplePathRules.percentLower, at: node,
                "\(escape.quoted) in \(shown) compares as text; browsers send "
                    + escape.uppercased().quoted, fix: .write(PatternEscapes.upper(text), at: node))
        }
        if escapes.hasBroken {
            findings.add(ApplePathRules.badEscape, at: node, "\"%\" in \(shown) is not followed by two hex digits")
        }
    }

    /// Whether browsers percent-encode the character in every part of a URL (WHATWG URL, fragment percent-encode set).
    private static func isNeverSent(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value <= 0x20 || scalar.value >= 0x7f || scalar == "\"" || scalar == "<" || scalar == ">"
    }
}
