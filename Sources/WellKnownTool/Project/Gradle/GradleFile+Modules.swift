/// What stands around a statement, and what a module's file applies, includes and takes from elsewhere.
extension GradleFile {
    /// The statement after the names of a closure's parameters, or after the arrow of `when`.
    static func body(_ tokens: ArraySlice<GradleToken>) -> ArraySlice<GradleToken> {
        let tokens = tokens.drop { $0 == .newline }
        for index in tokens.indices.dropLast() where tokens[index] == .mark("-") && tokens[index + 1] == .mark(">") {
            if GradleExpression.depth(of: tokens[..<index]) == 0 { return tokens[(index + 2)...] }
        }
        return tokens
    }

    /// The statement after a condition on the same line, as in `if (a) b = "c"` or `case "a": b = "c"`.
    static func conditional(_ tokens: ArraySlice<GradleToken>) -> ArraySlice<GradleToken>? {
        guard case .word(let first)? = tokens.first else { return nil }
        switch first {
        case "if", "for", "while":
            guard tokens.dropFirst().first == .mark("("),
                let end = GradleExpression.end(of: tokens, from: tokens.startIndex + 1)
            else { return nil }
            return tokens[(end + 1)...]
        case "else": return tokens.dropFirst()
        case "case", "default": return tokens.firstIndex(of: .mark(":")).map { tokens[($0 + 1)...] }
        default: return nil
        }
    }

    mutating func apply(_ tokens: ArraySlice<GradleToken>) {
        if tokens.contains(.word("from")) { appliesOthers = true } else { plugin(tokens) }
    }

    /// A plugin by its id, by its name in the catalog of versions, or by Kotlin's name for it.
    mutating func plugin(_ tokens: ArraySlice<GradleToken>) {
        let names = Self.texts(tokens) + [Self.words(tokens).filter { $0 != "plugin" }.joined(separator: ".")]
        for name in names where !name.isEmpty {
            let letters = name.replacing("libs.plugins.", with: "").lowercased().filter(\.isLetter)
            if letters.hasSuffix("androidlibrary") { isLibrary = true }
            plugins.insert(
                ["comandroidapplication", "androidapplication"].contains(letters) ? "com.android.application" : name)
        }
    }

    /// The modules of `project(":links")` and `projects.links`.
    mutating func includes(_ tokens: ArraySlice<GradleToken>) {
        for (place, word) in zip(tokens.indices, tokens) {
            if word == .word("project"), let name = Self.texts(tokens[place...]).first {
                modules.insert(String(name.split(separator: ":").last ?? ""))
            } else if word == .word("projects"), let name = Self.words(tokens[(place + 1)...]).last {
                let parts = name.map { $0.isUppercase ? "-\($0.lowercased())" : String($0) }
                modules.formUnion([name, parts.joined()])
            }
        }
    }

    /// `sourceSets { main { manifest.srcFile "file" } }` in any of its spellings.
    mutating func manifest(_ tokens: ArraySlice<GradleToken>, _ path: [String]) {
        let before = tokens[..<(tokens.firstIndex(of: .word("manifest")) ?? tokens.startIndex)]
        let names = (path + Self.names(of: before)).drop { $0 != "sourceSets" }.dropFirst()
        guard let set = names.first else { return }
        manifests[set] = Self.texts(tokens).last ?? ""
    }

    /// The value, unless a condition or a call decides whether it is set.
    func known(_ value: GradleValue, _ path: [String]) -> GradleValue {
        path.contains(where: Self.conditional.contains) ? .unknown : value
    }
}
