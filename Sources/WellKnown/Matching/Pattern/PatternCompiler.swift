import SSOShared

/// Compiles the patterns of one file. Variables are prepared once.
struct PatternCompiler {
    /// The part of a URL that a pattern is for. Paths have special rules for slashes.
    enum Part: Sendable, Hashable { case path, other }

    private struct ListKey: Hashable {
        let name: String
        let folds: Bool
        let edge: Edge
    }

    /// The position of a variable in a path pattern. Its values follow the rules for slashes at that position.
    private struct Edge: OptionSet, Hashable {
        let rawValue: Int
        static let start = Edge(rawValue: 1)
        static let end = Edge(rawValue: 2)
        /// The slash before it moved into the values.
        static let slash = Edge(rawValue: 4)
    }

    let variables: SubstitutionVariables
    private var lists: [ListKey: ValueList] = [:]
    private var edgy: [String: Bool] = [:]

    init(_ variables: SubstitutionVariables) { self.variables = variables }

    /// - Parameters:
    ///   - folds: whether letters of both cases are equal. The text is then in lower case.
    ///   - expands: whether `$(name)` is expanded. If false, it is literal text.
    mutating func pattern(_ source: String, _ part: Part, folds: Bool = false, expands: Bool = true) -> LinkPattern {
        var text = Array(source.utf8)[...]
        if part == .path { text = Self.withoutOuterSlashes(text) }
        var builder = Builder(source: source)
        var index = text.startIndex
        while index < text.endIndex {
            if expands, let (name, end) = Self.variable(in: text, at: index) {
                let isStart = index == text.startIndex
                add(name, folds, part == .path ? (isStart, end == text.endIndex) : (false, false), to: &builder)
                index = end
            } else {
                builder.add(Self.step(text[index], folds: folds))
                index += 1
            }
        }
        return builder.pattern(part)
    }

    /// Leading and trailing slashes are ignored in patterns and in paths, as observed on Apple's matcher.
    static func withoutOuterSlashes(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let first = text.firstIndex(where: { $0 != 0x2f }), let last = text.lastIndex(where: { $0 != 0x2f })
        else { return text.prefix(0) }
        return text[first...last]
    }

    static func step(_ byte: UInt8, folds: Bool) -> PatternCode {
        switch byte {
        case 0x2a: .star
        case 0x3f: .one
        default: .byte(folds ? byte.asciiLowercased : byte)
        }
    }

    /// Reads `$(name)`. A name has any characters except `$`, `(` and `)`.
    private static func variable(in text: ArraySlice<UInt8>, at index: Int) -> (name: String, end: Int)? {
        guard text[index] == 0x24, index + 1 < text.endIndex, text[index + 1] == 0x28 else { return nil }
        let name = text[(index + 2)...].prefix { $0 != 0x24 && $0 != 0x28 && $0 != 0x29 }
        guard name.endIndex < text.endIndex, text[name.endIndex] == 0x29 else { return nil }
        return (String(decoding: name, as: UTF8.self), name.endIndex + 1)
    }

    private mutating func add(_ name: String, _ folds: Bool, _ at: (start: Bool, end: Bool), to builder: inout Builder)
    {
        switch variables.meaning(of: name) {
        case nil: builder.undefined.append(name)
        case .character(let set): builder.add(folds ? set.folded : set)
        case .values(let values):
            var edge: Edge = []
            if at.start || at.end, isEdgy(name, values) {
                if at.start { edge.insert(.start) }
                if at.end { edge.insert(.end) }
                if at.end, builder.code.last == .slash {
                    edge.insert(.slash)
                    builder.code.removeLast()
                }
            }
            let key = ListKey(name: name, folds: folds, edge: edge)
            let list = lists[key] ?? Self.list(values, key.folds, key.edge)
            lists[key] = list
            builder.add(list, key: "\(name) \(edge.rawValue)")
        }
    }

    private mutating func isEdgy(_ name: String, _ values: [String]) -> Bool {
        if let known = edgy[name] { return known }
        let isEdgy = values.contains {
            $0.isEmpty || $0.utf8.first == 0x2f || $0.utf8.last == 0x2f || $0.utf8.last == 0x2a
        }
        edgy[name] = isEdgy
        return isEdgy
    }

    private static func list(_ values: [String], _ folds: Bool, _ edge: Edge) -> ValueList {
        var codes: [[PatternCode]] = []
        for value in values {
            var text = Array(value.utf8)[...]
            if edge.contains(.slash) { text = ArraySlice([0x2f] + text) }
            if edge.contains(.start) { text = text.drop { $0 == 0x2f } }
            if edge.contains(.end) { while text.last == 0x2f { text.removeLast() } }
            var builder = Builder(source: value)
            for byte in text { builder.add(step(byte, folds: folds)) }
            codes.append(builder.code)
            if edge.contains(.end), let bare = builder.bareCount { codes.append(Array(builder.code.prefix(bare))) }
        }
        return ValueList(codes)
    }

    private struct Builder {
        let source: String
        var code: [PatternCode] = []
        var sets: [ByteSet] = []
        var lists: [ValueList] = []
        var undefined: [String] = []
        private var listKeys: [String: Int] = [:]

        init(source: String) { self.source = source }

        /// Adds a step. `**` equals `*`.
        mutating func add(_ step: PatternCode) {
            if step != .star || code.last != .star { code.append(step) }
        }

        mutating func add(_ set: ByteSet) {
            let index = sets.firstIndex(of: set) ?? sets.count
            if index == sets.count { sets.append(set) }
            code.append(.set(index))
        }

        mutating func add(_ list: ValueList, key: String) {
            let index = listKeys[key] ?? lists.count
            if index == lists.count {
                // The pattern has more variables than a step can number. It does not match.
                guard index < 0xffff else { return undefined.append("") }
                lists.append(list)
                listKeys[key] = index
            }
            code.append(.list(index))
        }

        /// The number of steps before a final `/*`.
        var bareCount: Int? {
            guard code.count >= 2, code[code.count - 1] == .star, code[code.count - 2] == .slash else { return nil }
            return (code.prefix(code.count - 2).lastIndex { $0 != .slash } ?? -1) + 1
        }

        func pattern(_ part: Part) -> LinkPattern {
            LinkPattern(
                source: source, code: code, sets: sets, lists: lists, undefined: undefined,
                bareCount: part == .path ? bareCount : nil)
        }
    }
}
