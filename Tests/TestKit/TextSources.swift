import Foundation

/// Reads the templates and sources of the programs for the tests of texts.
enum TextSources {
    /// The files of a folder of the repository with this ending: path and text.
    static func files(in folder: String, ending: String) throws -> [(path: String, text: String)] {
        let root = TestVectors.repository.appending(path: folder)
        let names = FileManager.default.enumerator(atPath: root.path())?.allObjects as? [String] ?? []
        return try names.filter { $0.hasSuffix(".\(ending)") }.sorted().map {
            ("\(folder)/\($0)", try String(contentsOf: root.appending(path: $0), encoding: .utf8))
        }
    }

    /// The folders of the repository that hold one file of texts for each language.
    static func textFolders() throws -> [String] {
        try files(in: "Sources", ending: "json").map(\.path).filter { $0.hasSuffix("/Texts/en.json") }
            .map { String($0.dropLast("/en.json".count)) }
    }

    /// What stands between the tags of a page, email or template, and in its attributes for users. Character references
    /// are decoded.
    static func words(ofHTML html: String) -> [String] {
        let visible = html.replacing(#/<(style|script)\b[^>]*>.*?<\/\1>/#.dotMatchesNewlines(), with: "")
            .replacing(#/<!--.*?-->/#.dotMatchesNewlines(), with: "")
        let attributes = visible.matches(of: #/<([a-z0-9]+)\b([^>]*)>/#).flatMap { tag in
            let all = tag.2.matches(of: #/\s([a-z-]+)="([^"]*)"/#).map { (name: $0.1, value: String($0.2)) }
            let isButton =
                tag.1 == "button"
                || all.contains { $0.name == "type" && ["submit", "button", "reset"].contains($0.value) }
            return all.filter { isForUsers($0.name, isButton: isButton) }.map(\.value)
        }
        return (visible.split(separator: #/<[^>]*>/#).map(String.init) + attributes).map {
            HTMLText.decode($0).replacing(#/&[A-Za-z]+;/#, with: " ")
        }
    }

    /// The attributes whose value a user sees or hears. `value` only of buttons: elsewhere it is what was typed.
    private static func isForUsers(_ attribute: Substring, isButton: Bool) -> Bool {
        switch attribute {
        case "alt", "title", "placeholder", "label", "summary", "aria-label", "aria-description",
            "aria-roledescription",
            "aria-valuetext":
            true
        case "value": isButton
        default: false
        }
    }

    /// The literals in the first argument of every `Text(…)`, and whether a count follows.
    static func textKeys(in source: String) -> [(key: String, isCounted: Bool)] {
        source.ranges(of: #/(?:^|[^A-Za-z0-9_.])Text\(/#).flatMap { range in
            let (literals, rest) = firstArgument(source[range.upperBound...])
            let isCounted = rest.prefixMatch(of: #/,\s*count:/#) != nil
            return literals.map { ($0, isCounted) }
        }
    }

    /// The string literals up to the comma or bracket that ends the argument, and what follows.
    private static func firstArgument(_ source: Substring) -> (literals: [String], rest: Substring) {
        var (literals, depth, rest): ([String], Int, Substring) = ([], 0, source)
        while let next = rest.first {
            switch next {
            case "\"":
                let literal = literal(rest.dropFirst())
                literals.append(String(literal))
                rest = rest[literal.endIndex...].dropFirst()
                continue
            case "(", "[", "{": depth += 1
            case ")", "]", "}":
                guard depth > 0 else { return (literals, rest) }
                depth -= 1
            case ",": if depth == 0 { return (literals, rest) }
            default: break
            }
            rest = rest.dropFirst()
        }
        return (literals, rest)
    }

    /// The text up to the closing quotation mark. One inside `\(…)` does not close it.
    private static func literal(_ source: Substring) -> Substring {
        var (depth, index, previous) = (0, source.startIndex, Character(" "))
        while index < source.endIndex {
            let next = source[index]
            if next == "(", depth > 0 || previous == "\\" { depth += 1 }
            if next == ")", depth > 0 { depth -= 1 }
            if next == "\"", depth == 0, previous != "\\" { break }
            previous = next
            index = source.index(after: index)
        }
        return source[..<index]
    }
}
