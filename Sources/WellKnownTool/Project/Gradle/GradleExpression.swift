/// A value in a Gradle file that is known without running it.
indirect enum GradleValue: Equatable {
    case text(String)
    case map([String: GradleValue])
    /// What only a run of the build can say.
    case unknown

    var text: String? { if case .text(let text) = self { text } else { nil } }

    subscript(name: String) -> GradleValue {
        if case .map(let items) = self { items[name] ?? .unknown } else { .unknown }
    }
}

/// Reads expressions: literals, texts joined by `+`, maps, and names that have such a value.
struct GradleExpression {
    let tokens: ArraySlice<GradleToken>
    let variables: [String: GradleValue]
    private var index: Int

    init(_ tokens: ArraySlice<GradleToken>, _ variables: [String: GradleValue]) {
        (self.tokens, self.variables) = (tokens, variables)
        index = tokens.startIndex
    }

    /// - Parameter depth: how many brackets are around the expression. From the twentieth on it is unknown, so that no file
    ///   exhausts the stack.
    static func value(
        _ tokens: ArraySlice<GradleToken>, _ variables: [String: GradleValue], depth: Int = 0
    ) -> GradleValue {
        var expression = GradleExpression(tokens.filter { $0 != .newline }[...], variables)
        let value = expression.sum(depth: depth)
        return expression.peek == nil ? value : .unknown
    }

    /// The arguments of a call, or the elements of a list: each with its name, if it has one.
    static func arguments(
        _ tokens: ArraySlice<GradleToken>, _ variables: [String: GradleValue], depth: Int = 0
    ) -> [(name: String?, value: GradleValue)] {
        split(tokens, at: ",").map { part in
            let part = part.filter { $0 != .newline }[...]
            for mark in [GradleToken.mark(":"), .word("to"), .mark("=")] {
                guard let place = part.firstIndex(of: mark), place > part.startIndex,
                    Self.depth(of: part[..<place]) == 0
                else { continue }
                let name = name(of: part[..<place], variables, depth: depth)
                return (name, value(part[(place + 1)...], variables, depth: depth))
            }
            return (nil, value(part, variables, depth: depth))
        }
    }

    static func map(
        _ tokens: ArraySlice<GradleToken>, _ variables: [String: GradleValue], depth: Int = 0
    ) -> GradleValue {
        let items = arguments(tokens, variables, depth: depth).compactMap { name, value in name.map { ($0, value) } }
        return .map(Dictionary(items) { $1 })
    }

    private static func name(
        of tokens: ArraySlice<GradleToken>, _ variables: [String: GradleValue], depth: Int
    ) -> String? {
        if tokens.count == 1, case .word(let name)? = tokens.first { return name }
        return value(tokens, variables, depth: depth).text
    }

    static func depth(of tokens: ArraySlice<GradleToken>) -> Int { tokens.reduce(0) { $0 + $1.nesting } }

    static func split(_ tokens: ArraySlice<GradleToken>, at mark: Character) -> [ArraySlice<GradleToken>] {
        var parts: [ArraySlice<GradleToken>] = []
        var (start, depth) = (tokens.startIndex, 0)
        for index in tokens.indices {
            depth += tokens[index].nesting
            guard tokens[index] == .mark(mark), depth == 0 else { continue }
            parts.append(tokens[start..<index])
            start = index + 1
        }
        if start < tokens.endIndex { parts.append(tokens[start...]) }
        return parts
    }

    private var peek: GradleToken? { index < tokens.endIndex ? tokens[index] : nil }

    private static let deepest = 20

    private mutating func sum(depth: Int) -> GradleValue {
        guard depth < Self.deepest else { return .unknown }
        var value = operand(depth: depth)
        while peek == .mark("+") {
            index += 1
            let next = operand(depth: depth)
            value = value.text.flatMap { left in next.text.map { .text(left + $0) } } ?? .unknown
        }
        // The text after ?: counts only without the one before it.
        if value != .unknown, peek == .mark("?"), index + 1 < tokens.endIndex, tokens[index + 1] == .mark(":") {
            index = tokens.endIndex
        }
        return value
    }

    private mutating func operand(depth: Int) -> GradleValue {
        var value: GradleValue
        switch peek {
        case .text(let parts)?:
            index += 1
            value = text(parts)
        case .number(let digits)?:
            index += 1
            value = .text(digits)
        case .mark("(")?, .mark("[")?: value = grouped(depth: depth)
        case .word(let word)?:
            index += 1
            value = named(word, depth: depth)
        default: return .unknown
        }
        while let token = peek {
            if token == .mark("["), let inside = group() {
                value = GradleExpression.value(inside, variables, depth: depth + 1).text.map { value[$0] } ?? .unknown
            } else if token == .mark("."), index + 1 < tokens.endIndex, case .word(let member) = tokens[index + 1] {
                index += 2
                value = self.member(member, of: value, depth: depth)
            } else if token == .mark("?"), index + 1 < tokens.endIndex, tokens[index + 1] == .mark(".") {
                index += 1
            } else if token == .word("as"), index + 1 < tokens.endIndex {
                index += 2
            } else if token == .mark("!") {
                index += 1
            } else {
                break
            }
        }
        return value
    }

    private mutating func grouped(depth: Int) -> GradleValue {
        let isList = peek == .mark("[")
        guard let inside = group() else { return .unknown }
        return isList
            ? GradleExpression.map(inside, variables, depth: depth + 1)
            : GradleExpression.value(inside, variables, depth: depth + 1)
    }

    /// The tokens between a bracket and its counterpart, which are skipped.
    private mutating func group() -> ArraySlice<GradleToken>? {
        guard let end = Self.end(of: tokens, from: index) else {
            index = tokens.endIndex
            return nil
        }
        defer { index = end + 1 }
        return tokens[(index + 1)..<end]
    }

    static func end(of tokens: ArraySlice<GradleToken>, from start: Int) -> Int? {
        var depth = 0
        return tokens[start...].indices.first { index in
            depth += tokens[index].nesting
            return depth == 0 && tokens[index].isMark
        }
    }

    private func text(_ parts: [GradleToken.Part]) -> GradleValue {
        var result = ""
        for part in parts {
            switch part {
            case .literal(let text): result += text
            case .name(let words):
                guard let words, let first = words.first else { return .unknown }
                let value = words.dropFirst().reduce(variables[first] ?? .unknown) { plainMember($1, of: $0) }
                guard let text = value.text else { return .unknown }
                result += text
            }
        }
        return .text(result)
    }

    private static let maps: Set<String> = ["mapOf", "mutableMapOf", "hashMapOf", "linkedMapOf"]
    private static let lookups: Set<String> = [
        "property", "findProperty", "getProperty", "gradleProperty", "extra", "get", "getValue",
    ]
    /// Objects that hold the values of the project under their names.
    private static let holders: Set<String> = [
        "project", "rootProject", "ext", "extra", "properties", "providers", "this", "parent",
    ]

    /// Skips the types in `mapOf<String, Any>(…)`.
    private mutating func skipTypes() {
        guard peek == .mark("<"), let end = tokens[index...].firstIndex(of: .mark("(")), tokens[end - 1] == .mark(">"),
            tokens[index..<end].allSatisfy({ if case .text = $0 { false } else { true } })
        else { return }
        index = end
    }

    private mutating func named(_ word: String, depth: Int) -> GradleValue {
        if Self.maps.contains(word) { skipTypes() }
        if peek == .mark("("), let inside = group() {
            if Self.maps.contains(word) { return GradleExpression.map(inside, variables, depth: depth + 1) }
            guard Self.lookups.contains(word) else { return .unknown }
            let name = GradleExpression.value(inside, variables, depth: depth + 1).text
            return name.flatMap { variables[$0] } ?? .unknown
        }
        return variables[word] ?? (Self.holders.contains(word) ? .map(variables) : .unknown)
    }

    private mutating func member(_ name: String, of value: GradleValue, depth: Int) -> GradleValue {
        let inside = peek == .mark("(") ? group() : nil
        if Self.unchanged.contains(name) { return inside.map { $0.isEmpty } ?? true ? value : .unknown }
        guard let inside else { return Self.holders.contains(name) && value == .map(variables) ? value : value[name] }
        guard Self.lookups.contains(name) else { return .unknown }
        return GradleExpression.value(inside, variables, depth: depth + 1).text.map { value[$0] } ?? .unknown
    }

    /// A member of an interpolation, which has no call.
    private func plainMember(_ name: String, of value: GradleValue) -> GradleValue {
        Self.unchanged.contains(name) || Self.holders.contains(name) && value == .map(variables) ? value : value[name]
    }

    private static let unchanged: Set<String> = ["toString", "get", "trim", "orNull", "toInteger", "toInt"]
}
