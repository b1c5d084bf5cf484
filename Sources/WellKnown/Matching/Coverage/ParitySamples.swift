/// Sample URLs for which two sets of rules may differ. They come from every rule of both sets, and from the known
/// differences between the systems. The matchers then show whether the decisions differ.
struct ParitySamples {
    /// Parts of URLs with their separators: `/a`, `?q=1` or empty, `#x` or empty.
    private var paths: [String] = ["/", "/x", "/x/y"]
    private var seen: Set<String> = ["/", "/x", "/x/y"]
    private var tails: [String] = [""]
    private var seenTails: Set<String> = [""]
    private let limit: Int

    /// - Parameter limit: the maximum number of URLs.
    init(limit: Int) { self.limit = limit }

    mutating func add(_ rule: AppleRule, _ variables: SubstitutionVariables) {
        add(path: rule.path.source, variables)
        switch rule.query {
        case .whole(let pattern):
            add(query: texts(pattern.source, variables), fragment: rule.fragment.source, variables)
        case .items(let items):
            let named = items.map { (String(decoding: $0.name, as: UTF8.self), $0.pattern.source) }
            add(items: named, fragment: rule.fragment.source, variables)
        }
    }

    mutating func add(_ rule: DynamicMatcher.Rule) {
        let none = SubstitutionVariables([])
        if let path = rule.path { add(path: path.source, none) }
        add(items: rule.items.map { ($0.name, $0.pattern.source) }, fragment: rule.fragment?.source ?? "*", none)
    }

    /// Adds a URL that a rule is known to decide.
    mutating func add(_ url: LinkURL) {
        add(plainPath: url.path)
        add(tail: url.tail)
    }

    /// Adds a path of an intent filter. Its text without wildcards is a useful edge case.
    mutating func add(_ path: ManifestPath) { add(plainPath: String(path.text.filter { !".*\\[]{}+^".contains($0) })) }

    mutating func add(_ condition: RelativeFilterGroup.Condition) {
        let text = String(condition.pattern.text.filter { !".*\\[]{}+^".contains($0) })
        switch condition.part {
        case .path: add(condition.pattern)
        case .query: add(query: [text, text + "x", "x&" + text], fragment: "", SubstitutionVariables([]))
        case .fragment: add(query: [""], fragment: text, SubstitutionVariables([]))
        }
    }

    /// The sample URLs: first every path alone, then each path with queries and fragments.
    var addresses: [String] {
        var list: [String] = []
        for tail in tails {
            for path in paths {
                guard list.count < limit else { return list }
                list.append(path + tail)
            }
        }
        return list
    }

    private mutating func add(path pattern: String, _ variables: SubstitutionVariables) {
        for text in texts(pattern, variables) { add(plainPath: text) }
    }

    /// Adds variants: with or without the final slash, with one more segment or character, and with lower-case escapes.
    private mutating func add(plainPath text: String) {
        let path = text.hasPrefix("/") ? text : "/" + text
        let bare = path.hasSuffix("/") ? String(path.dropLast()) : path
        for variant in [path, bare, bare + "/", bare + "/x", bare + "x", path.lowercased(), path.uppercased()] {
            guard paths.count < 400, variant.utf8.count <= 300, variant.hasPrefix("/") else { continue }
            if seen.insert(variant).inserted { paths.append(variant) }
        }
    }

    private mutating func add(items: [(String, String)], fragment: String, _ variables: SubstitutionVariables) {
        guard !items.isEmpty else { return add(query: [""], fragment: fragment, variables) }
        let values = items.prefix(6).map { ($0.0, texts($0.1, variables).last ?? "") }
        func joined(_ list: [(String, String)]) -> String { list.map { "\($0.0)=\($0.1)" }.joined(separator: "&") }
        var queries = [joined(values)]
        for index in values.indices {
            let name = values[index].0
            queries.append(joined(values.enumerated().filter { $0.offset != index }.map(\.element)))
            queries.append(joined(values + [(name, "other")]))
            queries.append(joined([(name, "other")] + values))
            queries.append(joined(values.enumerated().map { ($0.element.0, $0.offset == index ? "" : $0.element.1) }))
            queries.append(name)
        }
        add(query: queries, fragment: fragment, variables)
    }

    private mutating func add(query: [String], fragment: String, _ variables: SubstitutionVariables) {
        let fragments = fragment == "*" ? ["", "x"] : [""] + texts(fragment, variables)
        for text in query {
            for fragment in fragments {
                add(tail: (text.isEmpty ? "" : "?" + text) + (fragment.isEmpty ? "" : "#" + fragment))
            }
        }
    }

    private mutating func add(tail: String) {
        if tails.count < 200, tail.utf8.count <= 300, seenTails.insert(tail).inserted { tails.append(tail) }
    }

    /// Texts that a pattern may match. All stars are empty, and then each star is one segment and two segments.
    private func texts(_ pattern: String, _ variables: SubstitutionVariables) -> [String] {
        guard pattern.utf8.count <= 300 else { return [] }
        let plain = replaced(pattern, variables)
        let stars = plain.unicodeScalars.filter { $0 == "*" }.count
        func text(_ star: Int?, _ value: String) -> String {
            var number = 0
            var text = ""
            for scalar in plain.unicodeScalars {
                switch scalar {
                case "*":
                    if number == star { text += value }
                    number += 1
                case "?": text += "a"
                default: text.unicodeScalars.append(scalar)
                }
            }
            return text
        }
        var list = [text(nil, "")]
        // Android ends a star at the next character's first place: one sample has it inside a segment, one at the end.
        let stops = plain.unicodeScalars.split(separator: "*", omittingEmptySubsequences: false).dropFirst().map(
            \.first)
        for star in 0..<min(stars, 6) {
            list += [text(star, "x"), text(star, "x/y")]
            if let stop = stops[star], stop != "?", stop != "/" { list.append(text(star, "x\(stop)x")) }
        }
        return list
    }

    /// Replaces `$(name)` with its first value.
    private func replaced(_ pattern: String, _ variables: SubstitutionVariables) -> String {
        var text = ""
        var rest = pattern[...]
        while let start = rest.firstRange(of: "$("), let end = rest[start.upperBound...].firstIndex(of: ")") {
            text += rest[..<start.lowerBound]
            text += variables.values(of: String(rest[start.upperBound..<end]))?.first ?? "x"
            rest = rest[rest.index(after: end)...]
        }
        return text + rest
    }
}
