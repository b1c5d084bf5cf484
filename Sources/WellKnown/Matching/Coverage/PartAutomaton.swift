import SSOShared

/// A pattern as a nondeterministic automaton over bytes, for reasoning about all texts at once.
struct PartAutomaton: Sendable {
    struct Edge: Sendable {
        let bytes: ByteSet
        let to: Int32
    }

    private(set) var edges: [[Edge]] = [[]]
    /// Transitions that need no byte.
    private(set) var jumps: [[Int32]] = [[]]
    private(set) var isAccepting: [Bool] = [false]

    /// State limit. Beyond it the result is `notDecided`.
    static let limit = 20_000

    var count: Int { edges.count }

    mutating func state() -> Int32 {
        edges.append([])
        jumps.append([])
        isAccepting.append(false)
        return Int32(edges.count - 1)
    }

    mutating func edge(_ from: Int32, _ bytes: ByteSet, _ to: Int32) {
        edges[Int(from)].append(Edge(bytes: bytes, to: to))
    }

    mutating func jump(_ from: Int32, _ to: Int32) { jumps[Int(from)].append(to) }

    mutating func accept(_ state: Int32) { isAccepting[Int(state)] = true }

    /// Adds one character in UTF-8.
    mutating func character(_ from: Int32, besides: ByteSet = ByteSet()) -> Int32 {
        let to = state()
        edge(from, ByteSet(0...0x7f).subtracting(besides), to)
        let rest = ByteSet(0x80...0xbf)
        for (leads, count) in [(UInt8(0xc2)...0xdf, 1), (0xe0...0xef, 2), (0xf0...0xf4, 3)] {
            var last = state()
            edge(from, ByteSet(leads), last)
            for place in 1...count {
                let next = place == count ? to : state()
                edge(last, rest, next)
                last = next
            }
        }
        return to
    }

    /// The states reachable by jumps, in order. They include the given states.
    func closure(_ states: [Int32]) -> [Int32] {
        guard states.contains(where: { !jumps[Int($0)].isEmpty }) else { return Array(Set(states)).sorted() }
        var seen = Set(states)
        var open = states
        while let state = open.popLast() {
            for next in jumps[Int(state)] where seen.insert(next).inserted { open.append(next) }
        }
        return seen.sorted()
    }

    func step(_ states: [Int32], _ byte: UInt8) -> [Int32] {
        var next: [Int32] = []
        for state in states {
            for edge in edges[Int(state)] where edge.bytes.contains(byte) { next.append(edge.to) }
        }
        return next.isEmpty ? next : closure(next)
    }

    /// The work of one ``step(_:_:)``.
    func cost(_ states: [Int32]) -> Int { states.reduce(8) { $0 + 8 + edges[Int($1)].count + jumps[Int($1)].count } }

    func accepts(_ states: [Int32]) -> Bool { states.contains { isAccepting[Int($0)] } }
}

extension PartAutomaton {
    /// - Parameters:
    ///   - folds: whether the pattern is in lower case and matches letters of both cases.
    ///   - isDecoded: whether the texts are decoded. A character can then have several bytes.
    /// - Returns: `nil` if the automaton has too many states.
    init?(_ pattern: LinkPattern, folds: Bool, isDecoded: Bool) {
        self.init()
        guard pattern.canMatch else { return }
        var last: Int32 = 0
        var bare: Int32?
        for (index, step) in pattern.code.enumerated() {
            if index == pattern.bareCount { bare = last }
            guard let next = add(step, pattern, last, folds, isDecoded), count <= Self.limit else { return nil }
            last = next
        }
        accept(last)
        if let bare { accept(bare) }
    }

    private mutating func add(
        _ step: PatternCode, _ pattern: LinkPattern, _ from: Int32, _ folds: Bool, _ isDecoded: Bool
    ) -> Int32? {
        func both(_ set: ByteSet) -> ByteSet {
            folds ? ByteSet(set.bytes + set.bytes.filter(\.isASCIILower).map { $0 & ~0x20 }) : set
        }

        if step == .star {
            let to = state()
            jump(from, to)
            edge(to, .all, to)
            return to
        }
        if step == .one, isDecoded { return character(from) }
        if let index = step.listIndex { return add(pattern.lists[index], pattern, from, folds, isDecoded) }
        let to = state()
        if step == .one { edge(from, .all, to) }
        if let byte = step.literal { edge(from, both(ByteSet([byte])), to) }
        if let index = step.setIndex { edge(from, both(pattern.sets[index]), to) }
        return to
    }

    private mutating func add(
        _ list: ValueList, _ pattern: LinkPattern, _ from: Int32, _ folds: Bool, _ isDecoded: Bool
    ) -> Int32? {
        guard count + list.nodes.count + list.wildCount <= Self.limit else { return nil }
        let to = state()
        var states: [Int32] = [from]
        for _ in list.nodes.dropFirst() { states.append(state()) }
        for (index, node) in list.nodes.enumerated() {
            if node.isEnd { jump(states[index], to) }
            var child = Int(node.child)
            while child != 0 {
                let byte = list.nodes[child].byte
                let bytes = folds && byte.isASCIILower ? ByteSet([byte, byte & ~0x20]) : ByteSet([byte])
                edge(states[index], bytes, states[child])
                child = Int(list.nodes[child].sibling)
            }
        }
        for value in list.wild {
            var last = from
            for step in value {
                guard let next = add(step, pattern, last, folds, isDecoded) else { return nil }
                last = next
            }
            jump(last, to)
        }
        return to
    }

    /// A pattern of Android: a star stops at the first occurrence of the next character.
    ///
    /// - Parameter isItem: whether the pattern is for one of the items of a query.
    init?(_ pattern: DynamicPattern, isItem: Bool = false) {
        self.init()
        var last: Int32 = 0
        if isItem {
            // Complete items before the matching one.
            let before = state()
            edge(0, ByteSet.all.subtracting(ByteSet([0x26])), before)
            edge(before, ByteSet.all.subtracting(ByteSet([0x26])), before)
            edge(0, ByteSet([0x26]), 0)
            edge(before, ByteSet([0x26]), 0)
            last = state()
            jump(0, last)
        }
        let any = isItem ? ByteSet.all.subtracting(ByteSet([0x26])) : .all
        for (index, step) in pattern.steps.enumerated() {
            guard count <= Self.limit else { return nil }
            switch step {
            case .one: last = character(last, besides: isItem ? ByteSet([0x26]) : ByteSet())
            case .scalar(let scalar):
                for byte in String(scalar).utf8 {
                    let next = state()
                    edge(last, ByteSet([byte]), next)
                    last = next
                }
            case .star:
                guard index + 1 < pattern.steps.count, case .scalar(let stop) = pattern.steps[index + 1] else {
                    edge(last, any, last)
                    continue
                }
                last = skip(to: Array(String(stop).utf8), last, any)
            }
        }
        accept(last)
        guard isItem else { return }
        let after = state()
        edge(last, ByteSet([0x26]), after)
        edge(after, .all, after)
        accept(after)
    }

    /// Adds any number of characters other than the one with these bytes.
    private mutating func skip(to stop: [UInt8], _ from: Int32, _ any: ByteSet) -> Int32 {
        let start = state()
        jump(from, start)
        guard stop.count > 1 else {
            edge(start, any.subtracting(ByteSet(stop)), start)
            return start
        }
        // Handles a character that shares its first bytes with the stop character and differs in a later byte.
        edge(start, any.subtracting(ByteSet([stop[0]])), start)
        var last = start
        for place in stop.indices.dropFirst() {
            let next = state()
            edge(last, ByteSet([stop[place - 1]]), next)
            last = next
            let others = ByteSet(0x80...0xbf).subtracting(ByteSet([stop[place]]))
            var exit = last
            for _ in place + 1..<stop.count {
                let more = state()
                edge(exit, exit == last ? others : ByteSet(0x80...0xbf), more)
                exit = more
            }
            edge(exit, exit == last ? others : ByteSet(0x80...0xbf), start)
        }
        return start
    }

    /// Texts that neither begin nor end with a slash, as Apple's rules read paths.
    static let trimmed: PartAutomaton = {
        var automaton = PartAutomaton()
        let slash = ByteSet([0x2f])
        let other = ByteSet.all.subtracting(slash)
        let inside = automaton.state()
        let behind = automaton.state()
        automaton.edge(0, other, inside)
        automaton.edge(inside, other, inside)
        automaton.edge(inside, slash, behind)
        automaton.edge(behind, slash, behind)
        automaton.edge(behind, other, inside)
        automaton.accept(0)
        automaton.accept(inside)
        return automaton
    }()

    /// Paths that begin with a slash, as Android reads paths.
    static let rooted: PartAutomaton = {
        var automaton = PartAutomaton()
        let root = automaton.state()
        automaton.edge(0, ByteSet([0x2f]), root)
        automaton.edge(root, .all, root)
        automaton.accept(root)
        return automaton
    }()

    /// Well-formed UTF-8. It checks only the number of continuation bytes, which is enough to print the text.
    static let wellFormed: PartAutomaton = {
        var automaton = PartAutomaton()
        let end = automaton.character(0)
        automaton.jump(end, 0)
        automaton.accept(0)
        return automaton
    }()
}
