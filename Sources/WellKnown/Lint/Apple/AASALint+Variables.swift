import SSOShared

extension AASALint {
    struct WrittenPattern {
        let text: String
        let node: JSONNode
        let isLegacy: Bool
    }

    /// Checks the definitions and uses of substitution variables.
    mutating func variables() {
        guard let applinks = file.applinks.value else { return }
        let rules = AppleVariableRules.self
        if case .wrongType(let member) = applinks.substitutionVariables {
            findings.add(rules.empty, "substitutionVariables", member.value, mustBe: "an object of lists")
        }
        let own = applinks.substitutionVariables.value ?? []
        let patterns = patterns(applinks)
        let defined = Set(own.map(\.name)).union(SubstitutionVariables.predefined)
        // The names to compare with a misspelled one. Real files have fewer than 50 names, hostile ones thousands.
        let names = Array(defined.sorted().prefix(50))
        var used: Set<String> = []
        for pattern in patterns where pattern.text.utf8.contains(UInt8(ascii: "$")) {
            let (inside, unclosed) = VariableNames.of(pattern.text)
            if let unclosed {
                findings.add(
                    ApplePathRules.routeSyntax, at: pattern.node,
                    "\(unclosed.quoted) has no closing bracket: it is literal text and no variable",
                    fix: "Write $(name).")
            }
            guard let first = inside.first else { continue }
            used.formUnion(inside)
            if pattern.isLegacy {
                findings.add(
                    rules.inPaths, at: pattern.node,
                    "\("$(\(first))".quoted) in a legacy path: Apple documents it for components alone")
            }
            for name in Set(inside.filter { !defined.contains($0) }).sorted() {
                let near = findings.count(rules.undefined) >= 40 ? nil : SpellingSuggestion.of(name, among: names)
                findings.add(
                    rules.undefined, at: pattern.node,
                    "\("$(\(name))".quoted) is not defined: the rule never matches"
                        + (near.map { "; did you mean \("$(\($0))".quoted)?" } ?? ""))
            }
        }
        for variable in own { self.variable(variable, isUsed: used.contains(variable.name)) }
        region(applinks, patterns, isUsed: used.contains("region"))
    }

    private mutating func variable(_ variable: SubstitutionVariable, isUsed: Bool) {
        let rules = AppleVariableRules.self
        var name: String { variable.name.quoted }
        if variable.name.unicodeScalars.contains(where: { $0 == "$" || $0 == "(" || $0 == ")" }) {
            return findings.add(rules.name, at: variable.member, "The name \(name) has $, ( or )")
        }
        if SubstitutionVariables.predefined.contains(variable.name) {
            findings.add(
                rules.shadow, at: variable.member,
                "\(name) is predefined: Apple does not say whether the file's values count or the system's")
        }
        if !isUsed { findings.add(rules.unused, at: variable.member, "No pattern uses \(name)") }
        guard let values = variable.values else {
            return findings.add(
                rules.empty, at: variable.member.value,
                "\(name) is not a list of strings: nothing is defined, and rules that use it never match")
        }
        if values.isEmpty { findings.add(rules.empty, at: variable.member.value, "\(name) has no values") }
        for node in variable.member.value.array ?? [] {
            // If a rule decodes URLs, the value may be intended for that rule.
            if isUsed, facts?.decodes != true, let text = node.string {
                characters(text, node, PatternReading(isEncoded: true, isLegacy: false))
            }
            guard let text = node.string, let inner = VariableNames.of(text).closed.first else { continue }
            findings.add(
                rules.nested, at: node, "The value \(text.quoted) of \(name) holds the variable \(inner.quoted)")
        }
    }

    private func patterns(_ applinks: AppLinks) -> [WrittenPattern] {
        var patterns: [WrittenPattern] = []
        func add(_ node: JSONNode?, isLegacy: Bool = false) {
            guard let node, let text = node.string else { return }
            patterns.append(WrittenPattern(text: text, node: node, isLegacy: isLegacy))
        }
        func add(_ fields: ComponentFields?) {
            add(fields?.path.member?.value)
            add(fields?.fragment.member?.value)
            add(fields?.query.member?.value)
            for item in fields?.query.member?.value.object ?? [] { add(item.value) }
        }
        add(applinks.defaults.value)
        for (_, entry) in entries {
            add(entry.defaults.value)
            for component in entry.components.value ?? [] { add(component.fields) }
            for path in entry.paths.value ?? [] { add(path, isLegacy: true) }
        }
        return patterns
    }

    /// Reports UK in a file that uses `$(region)`. Apple's documentation says UK, but the value is GB.
    private mutating func region(_ applinks: AppLinks, _ patterns: [WrittenPattern], isUsed: Bool) {
        guard isUsed else { return }
        var places = patterns.filter { VariableNames.hasWord("UK", in: $0.text) }.map(\.node)
        for (_, entry) in entries {
            for component in entry.components.value ?? [] {
                guard let fields = component.fields, let text = fields.comment.value,
                    let member = fields.comment.member, VariableNames.hasWord("UK", in: text)
                else { continue }
                // A comment on a component without `$(region)` gets no finding.
                let own = patterns.filter { fields.node.range.contains($0.node.range.lowerBound) }
                if own.contains(where: { VariableNames.of($0.text).closed.contains("region") }) {
                    places.append(member.value)
                }
            }
        }
        guard let first = places.min(by: { $0.range.lowerBound < $1.range.lowerBound }) else { return }
        findings.add(
            AppleVariableRules.regionUK, at: first, "$(region) does not have UK; the United Kingdom is GB there")
    }
}

/// Finds the names of variables in a pattern.
enum VariableNames {
    /// The names in `$(name)`, as the matcher reads them, and the first `$(name` that is not closed.
    static func of(_ text: String) -> (closed: [String], unclosed: String?) {
        let bytes = Array(text.utf8)
        var (names, unclosed): ([String], String?) = ([], nil)
        var index = bytes.startIndex
        while let dollar = bytes[index...].firstIndex(of: UInt8(ascii: "$")) {
            index = dollar + 1
            guard index < bytes.count, bytes[index] == UInt8(ascii: "(") else { continue }
            let name = bytes[(index + 1)...].prefix { !"$()".utf8.contains($0) }
            guard name.endIndex < bytes.count, bytes[name.endIndex] == UInt8(ascii: ")") else {
                unclosed = unclosed ?? String(decoding: bytes[dollar..<name.endIndex].prefix(60), as: UTF8.self)
                continue
            }
            names.append(String(decoding: name, as: UTF8.self))
            index = name.endIndex + 1
        }
        return (names, unclosed)
    }

    static func hasWord(_ word: String, in text: String) -> Bool {
        text.utf8.split { !$0.isASCIILetter }.contains { $0.elementsEqual(word.utf8) }
    }
}
