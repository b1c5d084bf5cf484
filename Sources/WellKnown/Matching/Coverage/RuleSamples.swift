import SSOShared

/// URLs that a rule probably matches: its patterns with plain text for each wildcard. They answer most questions.
enum RuleSamples {
    /// The text of a pattern with its wildcards replaced.
    static func text(_ pattern: LinkPattern, star: String, one: UInt8) -> [UInt8] {
        var text: [UInt8] = []
        for step in pattern.code {
            if let byte = step.literal { text.append(byte) }
            if step == .one { text.append(one) }
            if step == .star { text += Array(star.utf8) }
            if let index = step.setIndex { text.append(pattern.sets[index].bytes.last ?? one) }
            if let index = step.listIndex { text += first(pattern.lists[index], star: star, one: one) }
        }
        return text
    }

    private static func first(_ list: ValueList, star: String, one: UInt8) -> [UInt8] {
        var text: [UInt8] = []
        var node = 0
        while !list.nodes[node].isEnd, list.nodes[node].child != 0 {
            node = Int(list.nodes[node].child)
            text.append(list.nodes[node].byte)
        }
        if list.nodes[node].isEnd { return text }
        return (list.wild.first ?? []).flatMap { $0.literal.map { [$0] } ?? ($0 == .one ? [one] : Array(star.utf8)) }
    }

    private static let fillings: [(star: String, one: UInt8)] = [("", 0x30), ("a", 0x61), ("x/y1", 0x7a)]

    static func of(_ rule: AppleRule, in spaces: LinkSpaces) -> [LinkURL] {
        fillings.compactMap { star, one in
            let path = rule.path.isAnything && star.isEmpty ? [] : text(rule.path, star: star, one: one)
            var query: [UInt8]?
            switch rule.query {
            case .whole(let pattern): if !pattern.isAnything { query = text(pattern, star: star, one: one) }
            case .items(let items):
                let needed = items.filter { !$0.pattern.isAnything }
                if !needed.isEmpty {
                    query = Array(
                        needed.map { $0.name + [0x3d] + text($0.pattern, star: star, one: one) }.joined(separator: [
                            0x26
                        ]))
                }
            }
            let fragment = rule.fragment.isAnything ? nil : text(rule.fragment, star: star, one: one)
            return spaces.url(
                path: path, query: query?.isEmpty == true ? nil : query,
                fragment: fragment?.isEmpty == true ? nil : fragment)
        }
    }

    /// URLs that are equal only after decoding: escapes in lower case, and an escaped letter.
    static func otherwiseEncoded(_ url: LinkURL) -> [LinkURL] {
        func address(_ path: String) -> LinkURL? { LinkURL("https://\(url.host)\(path)\(url.tail)") }
        var variants: [LinkURL] = []
        let small = url.path.replacing(#/%[0-9A-F]{2}/#) { String($0.output).lowercased() }
        if small != url.path { variants += [address(small)].compactMap(\.self) }
        if let letter = url.path.utf8.firstIndex(where: \.isASCIILetter), !url.path[..<letter].utf8.contains(0x25) {
            let after = url.path.utf8.index(after: letter)
            let escape = String(decoding: PercentCoding.escape(url.path.utf8[letter]), as: UTF8.self)
            variants += [address(url.path[..<letter] + escape + url.path[after...])].compactMap(\.self)
        }
        return variants
    }

    static func of(_ rule: DynamicMatcher.Rule, in spaces: LinkSpaces) -> [LinkURL] {
        fillings.compactMap { star, one in
            func text(_ pattern: DynamicPattern) -> [UInt8] {
                var text = ""
                for step in pattern.steps {
                    switch step {
                    case .scalar(let scalar): text.unicodeScalars.append(scalar)
                    case .one: text.unicodeScalars.append(Unicode.Scalar(one))
                    case .star: text += star
                    }
                }
                return Array(text.utf8)
            }
            let query = Array(rule.items.map { text($0.pattern) }.joined(separator: [0x26]))
            return spaces.url(
                path: rule.path.map(text) ?? [], query: query.isEmpty ? nil : query, fragment: rule.fragment.map(text))
        }
    }
}
