/// A pattern, ready to be compared with texts.
///
/// Matching never takes more than the length of the pattern times that of the text, and for ordinary patterns about
/// their sum: a short search first (``quickly(_:_:)``), and when that goes on too long, all positions at once
/// (``thoroughly(_:_:)``).
final class LinkPattern: Sendable {
    /// As written.
    let source: String
    let code: [PatternCode]
    let sets: [ByteSet]
    let lists: [ValueList]
    /// False when it names a variable that nobody defined: then nothing matches.
    let canMatch: Bool
    /// The names of variables that nobody defined.
    let undefined: [String]
    /// The path pattern ends in `/*` and matches without that segment, too: how many steps there are before it.
    let bareCount: Int?

    /// Matches every text.
    let isAnything: Bool
    /// Literal bytes only.
    let literal: [UInt8]?
    /// What every matching text begins with.
    let prefix: [UInt8]
    /// What every matching text ends with.
    let suffix: [UInt8]
    /// No matching text has fewer bytes.
    let shortest: Int
    /// Nothing but a literal and a star behind it, or a literal and `/*`.
    let isPrefix: Bool
    /// Few enough choices for the short search.
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

    /// Every `*` but the last step stops at a slash.
    var withInnerStarsInsideSegments: LinkPattern {
        var inner = code
        for index in inner.indices.dropLast() where inner[index] == .star { inner[index] = .segment }
        return LinkPattern(
            source: source, code: inner, sets: sets, lists: lists, undefined: undefined, bareCount: bareCount)
    }

    /// `*`.
    static let anything = LinkPattern(source: "*", code: [.star])
}
