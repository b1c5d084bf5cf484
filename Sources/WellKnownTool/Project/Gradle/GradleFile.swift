import WellKnown

/// What a module's `build.gradle` or `build.gradle.kts` says about links, as far as it is known without running it.
///
/// Sources: Android, "Configure build variants", "Inject build variables into the manifest", "Configure the app module".
struct GradleFile {
    /// Settings by name: `applicationId`, `suffix`, `${host}` for a placeholder, `@string/name` for a resource.
    typealias Scope = [String: GradleValue]

    private(set) var common: Scope = [:]
    private(set) var flavors: [(name: String, dimension: String, scope: Scope)] = []
    private(set) var release: Scope = [:]
    /// What the build changes by code after all scopes.
    var changed: Scope = [:]
    private(set) var dimensions: [String] = []
    private(set) var namespace: GradleValue?
    /// Modules that this one includes, by the last part of their names.
    private(set) var modules: Set<String> = []
    private(set) var isLibrary = false
    /// Whether the file takes settings from another file.
    private(set) var appliesOthers = false
    private(set) var variables: Scope

    /// - Parameter variables: values by name from gradle.properties and the root project.
    init(reading bytes: [UInt8], variables: [String: GradleValue] = [:]) {
        self.variables = variables
        let tokens = GradleToken.read(bytes)[...]
        block(tokens, path: [], depth: 0)
    }

    // MARK: Statements

    private static let deepest = 30

    private mutating func block(_ tokens: ArraySlice<GradleToken>, path: [String], depth: Int) {
        guard depth < Self.deepest else { return }
        var index = tokens.startIndex
        var start = index
        while index < tokens.endIndex {
            switch tokens[index] {
            case .newline, .mark(";"):
                // An expression goes on behind a sign at the end of its line or before one on the next line.
                if Self.goesOn(tokens, index) { break }
                statement(tokens[start..<index], path)
                start = index + 1
            case .mark("("), .mark("["):
                index = GradleExpression.end(of: tokens, from: index) ?? tokens.endIndex - 1
            case .mark("{"):
                let end = GradleExpression.end(of: tokens, from: index) ?? tokens.endIndex
                let header = tokens[start..<index]
                statement(header, path)
                let names = Self.names(of: header)
                block(tokens[(index + 1)..<end], path: path + names, depth: depth + 1)
                index = min(end, tokens.endIndex - 1)
                start = index + 1
            default: break
            }
            index += 1
        }
        if start < tokens.endIndex { statement(tokens[start...], path) }
    }

    private static func goesOn(_ tokens: ArraySlice<GradleToken>, _ index: Int) -> Bool {
        let signs: [GradleToken] = [.mark("="), .mark("+"), .mark(","), .mark(".")]
        guard tokens[index] == .newline else { return false }
        if index > tokens.startIndex, signs.contains(tokens[index - 1]) { return true }
        return index + 1 < tokens.endIndex && [.mark("."), .mark("+")].contains(tokens[index + 1])
    }

    /// `android`, `dev`, `create("dev")`, `android.defaultConfig`: the names of a block.
    private static func names(of header: ArraySlice<GradleToken>) -> [String] {
        var names: [String] = []
        for token in header {
            switch token {
            case .word(let word) where !calls.contains(word): names.append(word)
            case .text(let parts):
                if case .literal(let text)? = parts.first, parts.count == 1 { names.append(text) }
            default: break
            }
        }
        return names
    }

    private static let calls: Set<String> = [
        "create", "register", "getByName", "named", "maybeCreate", "val", "var", "by", "creating", "getting", "it",
    ]

    private mutating func statement(_ tokens: ArraySlice<GradleToken>, _ path: [String]) {
        let tokens = ArraySlice(tokens.drop { $0 == .newline })
        guard case .word(let first)? = tokens.first else { return }
        var words = [first]
        var index = tokens.startIndex + 1
        while index + 1 < tokens.endIndex, tokens[index] == .mark("."), case .word(let next) = tokens[index + 1] {
            words.append(next)
            index += 2
        }
        let rest = ArraySlice(tokens[index...])
        switch first {
        case "def", "val", "var", "String", "final", "const", "private", "internal": return define(rest)
        case "apply": return apply(rest)
        case "id", "alias", "plugin":
            if Self.texts(rest).contains("com.android.library") { isLibrary = true }
            return
        case "flavorDimensions":
            dimensions += Self.texts(rest)
            return
        default: break
        }
        if path.last == "productFlavors", !["all", "configureEach", "each"].contains(first) {
            let name = Self.calls.contains(first) ? Self.texts(rest).first : rest.isEmpty ? first : nil
            if let name { _ = flavor(of: path + [name]) }
        }
        for (place, word) in zip(rest.indices, rest) where word == .word("project") {
            if let name = Self.texts(rest[place...]).first {
                modules.insert(String(name.split(separator: ":").last ?? ""))
            }
        }
        if let place = words.firstIndex(where: { Self.settings[$0] != nil }) {
            return set(words[place], Array(words[(place + 1)...]), rest, path + words[..<place])
        }
        if path.last.map({ ["manifestPlaceholders", "apply", "also"].contains($0) }) == true,
            path.contains("manifestPlaceholders")
        {
            return set("manifestPlaceholders", Array(words.filter { $0 != "this" }), rest, path)
        }
        assign(words, rest, path)
    }

    private static func texts(_ tokens: ArraySlice<GradleToken>) -> [String] {
        tokens.compactMap { token in
            guard case .text(let parts) = token, parts.count == 1, case .literal(let text)? = parts.first else {
                return nil
            }
            return text
        }
    }

    /// `def x = …`, `val x: String = …`, `val x by extra("…")`.
    private mutating func define(_ tokens: ArraySlice<GradleToken>) {
        let words = tokens.compactMap { token -> String? in if case .word(let word) = token { word } else { nil } }
        if let equals = tokens.firstIndex(of: .mark("=")) {
            let names = tokens[..<equals].compactMap { token -> String? in
                if case .word(let word) = token, !["val", "var", "String", "final", "const", "Map"].contains(word) {
                    word
                } else {
                    nil
                }
            }
            guard let name = tokens[..<equals].contains(.mark(":")) ? names.first : names.last else { return }
            variables[name] = GradleExpression.value(tokens[(equals + 1)...], variables)
        } else if words.count >= 3, words[1] == "by", words[2] == "extra", let value = Self.texts(tokens).first {
            variables[words[0]] = .text(value)
        }
    }

    private mutating func apply(_ tokens: ArraySlice<GradleToken>) {
        if tokens.contains(.word("from")) { appliesOthers = true }
        if Self.texts(tokens).contains("com.android.library") { isLibrary = true }
    }

    /// `x = …`, `ext.x = …`, `extra["x"] = …`, in a block of `ext` or of the file.
    private mutating func assign(_ words: [String], _ tokens: ArraySlice<GradleToken>, _ path: [String]) {
        if words == ["namespace"] || words == ["android", "namespace"] {
            namespace = GradleExpression.value(Self.value(tokens), variables)
        } else if words == ["dimension"], let flavor = flavor(of: path), let name = Self.texts(tokens).first {
            flavors[flavor].dimension = name
        } else if words == ["set"] || words == ["extra", "set"] || words == ["ext", "set"] {
            let parts = GradleExpression.arguments(Self.value(tokens), variables)
            if parts.count == 2, let name = parts[0].value.text { variables[name] = parts[1].value }
        } else if tokens.first == .mark("="), let name = words.last {
            variables[name] = GradleExpression.value(tokens.dropFirst(), variables)
        } else if tokens.first == .mark("["), let end = GradleExpression.end(of: tokens, from: tokens.startIndex),
            end + 1 < tokens.endIndex, tokens[end + 1] == .mark("="), ["ext", "extra"].contains(words.last),
            let name = Self.texts(tokens[..<end]).first
        {
            variables[name] = GradleExpression.value(tokens[(end + 2)...], variables)
        }
    }

    // MARK: Settings

    /// The settings that matter, by the words that set them.
    private static let settings: [String: String] = [
        "applicationId": "applicationId", "setApplicationId": "applicationId", "applicationIdSuffix": "suffix",
        "manifestPlaceholders": "placeholders", "addManifestPlaceholders": "placeholders",
        "setManifestPlaceholders": "placeholders", "resValue": "resource", "minSdk": "minSdk",
        "minSdkVersion": "minSdk",
        "targetSdk": "targetSdk", "targetSdkVersion": "targetSdk",
    ]

    /// The tokens of a value after `=`, in brackets, or bare.
    private static func value(_ tokens: ArraySlice<GradleToken>) -> ArraySlice<GradleToken> {
        if tokens.first == .mark("=") { return tokens.dropFirst() }
        if tokens.first == .mark("+"), tokens.dropFirst().first == .mark("=") { return tokens.dropFirst(2) }
        if tokens.first == .mark("<"), tokens.dropFirst().first == .mark("<") { return tokens.dropFirst(2) }
        guard tokens.first == .mark("("), let end = GradleExpression.end(of: tokens, from: tokens.startIndex),
            !tokens[(end + 1)...].contains(where: { $0 != .newline })
        else { return tokens }
        return tokens[(tokens.startIndex + 1)..<end]
    }

    private mutating func set(_ word: String, _ members: [String], _ tokens: ArraySlice<GradleToken>, _ path: [String])
    {
        guard let setting = Self.settings[word], !tokens.isEmpty || !members.isEmpty else { return }
        let value = Self.value(tokens)
        switch setting {
        case "placeholders": placeholders(members, tokens, path)
        case "resource":
            let parts = GradleExpression.arguments(value, variables).map(\.value)
            guard parts.count == 3, let type = parts[0].text, let name = parts[1].text else { return }
            store("@\(type)/\(name)", parts[2], path)
        default:
            guard members.isEmpty || members == ["set"] else { return }
            store(setting, GradleExpression.value(value, variables), path)
        }
    }

    private mutating func placeholders(_ members: [String], _ tokens: ArraySlice<GradleToken>, _ path: [String]) {
        let value = Self.value(tokens)
        func text(_ name: String) -> String { "${\(name)}" }
        if members.last == "put" || members.last == "set" {
            let parts = GradleExpression.arguments(value, variables).map(\.value)
            if parts.count == 2, let name = parts[0].text { return store(text(name), parts[1], path) }
        } else if members.count == 1, members != ["putAll"], tokens.first == .mark("=") {
            return store(text(members[0]), GradleExpression.value(value, variables), path)
        } else if members.isEmpty, tokens.first == .mark("["),
            let end = GradleExpression.end(of: tokens, from: tokens.startIndex), end + 1 < tokens.endIndex,
            tokens[end + 1] == .mark("=")
        {
            let name = GradleExpression.value(tokens[(tokens.startIndex + 1)..<end], variables)
            if let name = name.text { store(text(name), GradleExpression.value(tokens[(end + 2)...], variables), path) }
            return
        }
        var items = GradleExpression.value(value, variables)
        // manifestPlaceholders host: "a", and += "host" to "a"
        if case .map = items {} else { items = GradleExpression.map(value, variables) }
        guard case .map(let values) = items else { return }
        for (name, value) in values { store(text(name), value, path) }
    }

    private static let conditional: Set<String> = ["if", "else", "for", "while", "when", "switch", "each", "forEach"]

    private mutating func store(_ name: String, _ value: GradleValue, _ path: [String]) {
        let isConditional = path.contains(where: Self.conditional.contains)
        let value = isConditional ? .unknown : value
        if path.contains(where: {
            ["applicationVariants", "androidComponents", "onVariants", "libraryVariants"].contains($0)
        }) {
            changed[name] = .unknown
        } else if let flavor = flavor(of: path) {
            flavors[flavor].scope[name] = value
        } else if let types = path.firstIndex(of: "buildTypes") {
            let type = path.indices.contains(types + 1) ? path[types + 1] : ""
            if type == "release" || ["all", "configureEach"].contains(type) { release[name] = value }
        } else {
            common[name] = value
        }
    }

    /// The flavor of a path. The first statement in it adds it.
    private mutating func flavor(of path: [String]) -> Int? {
        guard let place = path.firstIndex(of: "productFlavors"), path.indices.contains(place + 1) else { return nil }
        let name = path[place + 1]
        if let found = flavors.firstIndex(where: { $0.name == name }) { return found }
        flavors.append((name, "", [:]))
        return flavors.count - 1
    }
}
