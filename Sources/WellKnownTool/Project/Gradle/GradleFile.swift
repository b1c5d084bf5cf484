import WellKnown

/// What a module's `build.gradle` or `build.gradle.kts` says about links, as far as it is known without running it.
///
/// Sources: Android, "Configure build variants", "Inject build variables into the manifest", "Configure the app module".
struct GradleFile {
    /// Settings by name: `applicationId`, `suffix`, `${host}` for a placeholder, `@string/name` for a resource.
    typealias Scope = [String: GradleValue]

    private(set) var common: Scope = [:]
    private(set) var flavors: [(name: String, dimension: String, scope: Scope)] = []
    private var types: [String: Scope] = [:]
    /// What the build changes by code after all scopes.
    var changed: Scope = [:]
    private(set) var dimensions: [String] = []
    private(set) var namespace: GradleValue?
    /// Modules that this one includes, by the last part of their names.
    var modules: Set<String> = []
    var isLibrary = false
    /// Whether the file takes settings from another file, or from a plugin of the project's own.
    var appliesOthers = false
    /// The manifests that the file names itself, by source set.
    var manifests: [String: String] = [:]
    private(set) var variables: Scope

    /// - Parameter variables: values by name from gradle.properties and the root project.
    init(reading bytes: [UInt8], variables: [String: GradleValue] = [:]) {
        self.variables = variables
        let tokens = GradleToken.read(bytes)[...]
        block(tokens, path: [], depth: 0)
        if !plugins.isEmpty, !plugins.contains("com.android.application"), !isLibrary { appliesOthers = true }
    }

    var release: Scope { types["release"] ?? [:] }

    var plugins: Set<String> = []

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
            case .mark("("), .mark("["): index = GradleExpression.end(of: tokens, from: index) ?? tokens.endIndex - 1
            case .mark("{"):
                let end = GradleExpression.end(of: tokens, from: index) ?? tokens.endIndex
                let header = tokens[start..<index]
                statement(header, path)
                let names = Self.names(of: header)
                if header.contains(.word("by")), header.contains(.word("extra")), let name = names.first {
                    variables[name] = GradleExpression.value(tokens[(index + 1)..<end], variables)
                }
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
    static func names(of header: ArraySlice<GradleToken>) -> [String] {
        var names: [String] = []
        for token in header {
            switch token {
            case .word(let word) where !calls.contains(word): names.append(word)
            case .text(let parts): if case .literal(let text)? = parts.first, parts.count == 1 { names.append(text) }
            default: break
            }
        }
        return names
    }

    private static let calls: Set<String> = [
        "create", "register", "getByName", "named", "maybeCreate", "val", "var", "by", "creating", "getting", "it",
    ]

    private mutating func statement(_ tokens: ArraySlice<GradleToken>, _ path: [String]) {
        var (tokens, path) = (Self.body(tokens), path)
        while let rest = Self.conditional(tokens) {
            (tokens, path) = (rest.drop { $0 == .newline }, path + (path.last == "if" ? [] : ["if"]))
        }
        guard case .word(let first)? = tokens.first else { return }
        var words = [first]
        var index = tokens.startIndex + 1
        while index + 1 < tokens.endIndex, tokens[index] == .mark("."), case .word(let next) = tokens[index + 1] {
            words.append(next)
            index += 2
        }
        let rest = ArraySlice(tokens[index...])
        // A variable may be called `id`, too.
        let isAssigned = rest.first == .mark("=")
        switch first {
        case "def", "val", "var", "String", "final", "const", "private", "internal": return define(rest, path)
        case "apply": return apply(rest)
        case "id" where !isAssigned, "alias" where !isAssigned, "plugin" where !isAssigned: return plugin(rest)
        case _ where path == ["plugins"]: return plugin(tokens)
        case "flavorDimensions":
            dimensions += Self.texts(rest)
            return
        default: break
        }
        if path.last == "productFlavors", !["all", "configureEach", "each"].contains(first) {
            let name = Self.calls.contains(first) ? Self.texts(rest).first : rest.isEmpty ? first : nil
            if let name { _ = flavor(of: path + [name]) }
        }
        includes(rest)
        if tokens.contains(.word("srcFile")), tokens.contains(.word("manifest")) { return manifest(tokens, path) }
        if words.last == "initWith", let own = path.firstIndex(of: "buildTypes"), path.indices.contains(own + 1) {
            let other = Self.texts(rest).last ?? Self.words(rest).last { !Self.calls.contains($0) } ?? ""
            types[path[own + 1], default: [:]].merge(types[other] ?? [:]) { $1 }
            return
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

    static func texts(_ tokens: ArraySlice<GradleToken>) -> [String] {
        tokens.compactMap { token in
            guard case .text(let parts) = token, parts.count == 1, case .literal(let text)? = parts.first else {
                return nil
            }
            return text
        }
    }

    /// `def x = …`, `val x: String = …`, `val x by extra("…")`.
    private mutating func define(_ tokens: ArraySlice<GradleToken>, _ path: [String]) {
        let words = Self.words(tokens)
        if let equals = tokens.firstIndex(of: .mark("=")) {
            let typed = ["val", "var", "String", "final", "const", "Map"]
            let names = Self.words(tokens[..<equals]).filter { !typed.contains($0) }
            guard let name = tokens[..<equals].contains(.mark(":")) ? names.first : names.last else { return }
            let value = known(GradleExpression.value(tokens[(equals + 1)...], variables), path)
            guard let object = path.firstIndex(of: "object"), path.indices.contains(object + 1) else {
                variables[name] = value
                return
            }
            var members: Scope = [:]
            if case .map(let present)? = variables[path[object + 1]] { members = present }
            members[name] = value
            variables[path[object + 1]] = .map(members)
        } else if words.count >= 3, words[1] == "by", words[2] == "extra", let value = Self.texts(tokens).first {
            variables[words[0]] = .text(value)
        }
    }

    static func words(_ tokens: ArraySlice<GradleToken>) -> [String] {
        tokens.compactMap { token in if case .word(let word) = token { word } else { nil } }
    }

    /// `x = …`, `ext.x = …`, `extra["x"] = …`, in a block of `ext` or of the file.
    private mutating func assign(_ words: [String], _ tokens: ArraySlice<GradleToken>, _ path: [String]) {
        if words == ["namespace"] || words == ["android", "namespace"] {
            namespace = GradleExpression.value(Self.value(tokens), variables)
        } else if words == ["dimension"], let flavor = flavor(of: path), let name = Self.texts(tokens).first {
            flavors[flavor].dimension = name
        } else if words.last == "set", words == ["set"] || ["ext", "extra"].contains(words.dropLast().last) {
            let parts = GradleExpression.arguments(Self.value(tokens), variables)
            if parts.count == 2, let name = parts[0].value.text { variables[name] = known(parts[1].value, path) }
        } else if tokens.first == .mark("="), let name = words.last {
            variables[name] = known(GradleExpression.value(tokens.dropFirst(), variables), path)
        } else if tokens.first == .mark("["), let end = GradleExpression.end(of: tokens, from: tokens.startIndex),
            end + 1 < tokens.endIndex, tokens[end + 1] == .mark("="), ["ext", "extra"].contains(words.last),
            let name = Self.texts(tokens[..<end]).first
        {
            variables[name] = known(GradleExpression.value(tokens[(end + 2)...], variables), path)
        }
    }

    // MARK: Settings

    /// The settings that matter, by the words that set them.
    private static let settings: [String: String] = [
        "applicationId": "applicationId", "setApplicationId": "applicationId", "applicationIdSuffix": "suffix",
        "manifestPlaceholders": "placeholders", "addManifestPlaceholders": "placeholders",
        "setManifestPlaceholders": "placeholders", "resValue": "resource", "minSdk": "minSdk",
        "minSdkVersion": "minSdk", "targetSdk": "targetSdk", "targetSdkVersion": "targetSdk",
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

    static let conditional: Set<String> = [
        "if", "else", "for", "while", "when", "switch", "each", "forEach", "try", "catch", "finally", "fun", "def",
        "task", "tasks", "doFirst", "doLast",
    ]
    /// Calls that run for several flavors.
    private static let loops: Set<String> = [
        "all", "each", "configureEach", "forEach", "matching", "withType", "listOf", "setOf", "for",
    ]

    private mutating func store(_ name: String, _ value: GradleValue, _ path: [String]) {
        let value = known(value, path)
        let isLooped =
            path.contains {
                ["applicationVariants", "androidComponents", "onVariants", "libraryVariants"].contains($0)
            } || path.drop { $0 != "productFlavors" }.contains(where: Self.loops.contains)
        if isLooped {
            changed[name] = .unknown
        } else if let flavor = flavor(of: path) {
            flavors[flavor].scope[name] = value
        } else if let place = path.firstIndex(of: "buildTypes") {
            let type = path.indices.contains(place + 1) ? path[place + 1] : ""
            types[["all", "configureEach"].contains(type) ? "release" : type, default: [:]][name] = value
        } else {
            common[name] = value
        }
    }

    /// The flavor of a path. The first statement in it adds it.
    private mutating func flavor(of path: [String]) -> Int? {
        guard let place = path.firstIndex(of: "productFlavors"), path.indices.contains(place + 1),
            !path[place...].contains(where: Self.loops.contains)
        else { return nil }
        let name = path[place + 1]
        if let found = flavors.firstIndex(where: { $0.name == name }) { return found }
        flavors.append((name, "", [:]))
        return flavors.count - 1
    }
}
