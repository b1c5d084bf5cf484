/// A compiled pattern.
///
/// The matching time is at most the length of the pattern multiplied by the length of the text. For ordinary patterns
/// it is roughly their sum. A quick search runs first (``quickly(_:_:)``). If it takes too long, all positions are
/// tried at once (``thoroughly(_:_:)``).
final class LinkPattern: Sendable {
    /// The pattern as written.
    let source: String
    let code: [PatternCode]
    let sets: [ByteSet]
    let lists: [ValueList]
    /// Whether the pattern can match. False if it contains an undefined variable.
    let canMatch: Bool
    /// The names of undefined variables.
    let undefined: [String]
    /// The number of steps before a final `/*`, if the path pattern also matches without that segment.
    let bareCount: Int?

    /// Whether the pattern matches every text.
    let isAnything: Bool
    /// The bytes of a pattern without wildcards, or `nil`.
    let literal: [UInt8]?
    /// The common beginning of all matching texts.
    let prefix: [UInt8]
    /// The common end of all matching texts.
    let suffix: [UInt8]
    /// The minimum size of a matching text in bytes.
    let shortest: Int
    /// Whether the pattern is only a literal followed by a star or by `/*`.
    let isPrefix: Bool
    /// Whether the pattern has few enough choices for the quick search.
    let isShort: Bool
    let hasLists: Bool

    init(
        source: String, code: [PatternCode], sets: [ByteSet] = [], lists: [ValueList] = [], undefined: [String] = [],
        bareCount: Int? = nil
    ) {
        self.source = source
        self.code = code
        self.sets = sets
        self.lists = lists
        self.undefined = undefined
        self.bareCount = bareCount
        hasLists = code.contains(where: \.isList)
        canMatch = undefined.isEmpty && lists.allSatisfy { $0.shortest != nil }
        isAnything = code == [.star] && canMatch
        let literals = code.prefix { $0.literal != nil }.compactMap(\.literal)
        literal = literals.count == code.count ? literals : nil
        prefix = Array(literals.prefix(bareCount ?? .max))
        suffix = bareCount == nil ? code.reversed().prefix { $0.literal != nil }.compactMap(\.literal).reversed() : []
        isPrefix =
            code.last == .star && literals.count == code.count - 1 && !literals.isEmpty
            && (bareCount ?? literals.count - 1) == literals.count - 1
        shortest = code.prefix(bareCount ?? .max).reduce(0) { sum, step in
            if step == .star || step == .segment { return sum }
            guard let list = step.listIndex, lists.indices.contains(list) else { return sum + 1 }
            return sum + (lists[list].shortest ?? 0)
        }
        let choices = code.count { $0 == .star || $0 == .segment || $0.isList }
        isShort = choices <= 16 && lists.allSatisfy(\.wild.isEmpty)
    }

    /// The pattern in which every `*` except the last step stops at a slash.
    var withInnerStarsInsideSegments: LinkPattern {
        var inner = code
        for index in inner.indices.dropLast() where inner[index] == .star { inner[index] = .segment }
        return LinkPattern(
            source: source, code: inner, sets: sets, lists: lists, undefined: undefined, bareCount: bareCount)
    }

    /// Whether the pattern also matches without its last segment although it ends in `/**` or `/*/` instead of `/*`.
    var hasUnplainBareForm: Bool { bareCount != nil && !source.utf8.suffix(2).elementsEqual("/*".utf8) }

    /// The pattern without the form that lacks the last segment.
    var withoutBareForm: LinkPattern {
        LinkPattern(source: source, code: code, sets: sets, lists: lists, undefined: undefined)
    }

    static let anything = LinkPattern(source: "*", code: [.star])
}

/// One step of a compiled pattern.
struct PatternCode: RawRepresentable, Sendable, Hashable {
    let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }

    static func byte(_ byte: UInt8) -> PatternCode { PatternCode(rawValue: UInt32(byte)) }
    /// `?`: one character.
    static let one = PatternCode(rawValue: 0x100)
    /// `*`: any number of characters.
    static let star = PatternCode(rawValue: 0x101)
    /// A `*` that stops at a slash.
    static let segment = PatternCode(rawValue: 0x102)
    /// One byte of the set with that index in ``LinkPattern/sets``.
    static func set(_ index: Int) -> PatternCode { PatternCode(rawValue: 0x1_0000 | UInt32(index & 0xffff)) }
    /// A value of the list with that index in ``LinkPattern/lists``.
    static func list(_ index: Int) -> PatternCode { PatternCode(rawValue: 0x2_0000 | UInt32(index & 0xffff)) }

    static let slash = PatternCode.byte(0x2f)

    var literal: UInt8? { rawValue < 0x100 ? UInt8(rawValue) : nil }
    var setIndex: Int? { rawValue >> 16 == 1 ? Int(rawValue & 0xffff) : nil }
    var listIndex: Int? { rawValue >> 16 == 2 ? Int(rawValue & 0xffff) : nil }
    var isList: Bool { rawValue >> 16 == 2 }
}

extension LinkPattern {
    /// Moves all positions at once, in the time of the pattern's length times the text's length, divided by 64.
    func thoroughly(_ text: LinkText, _ effort: inout MatchEffort) -> Bool {
        let occurrences = PositionSet.Occurrences(text)
        effort.left -= text.count
        var places = PositionSet(start: occurrences)
        if let bareCount {
            walk(code[..<bareCount], &places, text, occurrences, &effort)
            if places.contains(text.count) { return !effort.isSpent }
        }
        walk(code[(bareCount ?? 0)...], &places, text, occurrences, &effort)
        return places.contains(text.count) && !effort.isSpent
    }

    private func walk(
        _ code: ArraySlice<PatternCode>, _ places: inout PositionSet, _ text: LinkText,
        _ occurrences: PositionSet.Occurrences, _ effort: inout MatchEffort
    ) {
        for step in code {
            // Operations on sets cost more than steps of the quick search.
            effort.left -= 20 * occurrences.wordCount + 80
            if places.isEmpty || effort.isSpent { return }
            if let byte = step.literal {
                places.advance(over: occurrences[byte])
            } else if step == .one {
                places.advanceOne(occurrences)
            } else if step == .star {
                places.advanceAny(occurrences)
            } else if step == .segment {
                effort.left -= 4 * text.count
                for place in 0..<text.count where places.contains(place) && text.bytes[text.lower + place] != 0x2f {
                    places.insert(place + 1)
                }
            } else if let index = step.setIndex {
                effort.left -= 80 * occurrences.wordCount
                var mask = PositionSet(none: occurrences)
                for place in places.places
                where place < text.count && sets[index].contains(text.bytes[text.lower + place]) { mask.insert(place) }
                places.advance(over: mask.words)
            } else if let index = step.listIndex {
                take(lists[index], &places, text, occurrences, &effort)
            }
        }
        if effort.isSpent { places = PositionSet(none: occurrences) }
    }

    private func take(
        _ list: ValueList, _ places: inout PositionSet, _ text: LinkText, _ occurrences: PositionSet.Occurrences,
        _ effort: inout MatchEffort
    ) {
        var ends = PositionSet(none: occurrences)
        for start in places.places {
            var node = 0
            var place = start
            while true {
                effort.left -= 12
                if effort.isSpent { return }
                if list.nodes[node].isEnd { ends.insert(place) }
                guard place < text.count, let child = list.child(of: node, text.bytes[text.lower + place]) else {
                    break
                }
                node = child
                place += 1
            }
        }
        for value in list.wild {
            var branch = places
            walk(value[...], &branch, text, occurrences, &effort)
            if effort.isSpent { return }
            ends.formUnion(branch)
        }
        places = ends
    }
}
