/// One condition on one part of an address, as a deterministic automaton that is built as far as it is walked.
final class PartTrack {
    enum Kind: Hashable {
        /// The whole part matches.
        case whole
        /// Every item of that name has a value that matches; without any, the empty text does.
        case items(name: [UInt8])
    }

    private struct Key: Hashable {
        /// `inOther`: inside an item of another name; `inValue`: inside a value of the name; else how much of the name
        /// was read.
        var phase: Int32
        var seen: Bool
        var states: [Int32]
    }

    private static let inOther: Int32 = -1
    private static let inOtherValue: Int32 = -2
    private static let inValue: Int32 = -3
    private static let failed = Key(phase: -4, seen: false, states: [])

    let automaton: PartAutomaton
    let kind: Kind
    private let acceptsEmpty: Bool
    private let startStates: [Int32]

    private var ids: [Key: Int32] = [:]
    private var keys: [Key] = []
    private var next: [[Int32]] = []
    private(set) var isAccepting: [Bool] = []
    /// No text that goes on from here is accepted.
    private(set) var isDead: [Bool] = []
    private(set) var isOverfull = false
    /// What finding new states has cost since it was last asked, in the units of ``RuleReach/Limits``.
    private var cost = 0

    /// One representative byte of each class of bytes that no condition tells apart.
    var classes: [UInt8] = []

    static let limit = 4_000

    init(_ automaton: PartAutomaton, _ kind: Kind) {
        self.automaton = automaton
        self.kind = kind
        startStates = automaton.closure([0])
        acceptsEmpty = automaton.accepts(startStates)
        switch kind {
        case .whole: _ = id(Key(phase: 0, seen: false, states: startStates))
        case .items: _ = id(Key(phase: 0, seen: false, states: []))
        }
    }

    /// The state before the first byte is 0.
    func step(_ state: Int32, _ index: Int) -> Int32 {
        let state = Int(state)
        if next[state].isEmpty { next[state] = Array(repeating: -1, count: classes.count) }
        let known = next[state][index]
        if known >= 0 { return known }
        cost += automaton.cost(keys[state].states)
        let found = id(key(keys[state], classes[index]))
        next[state][index] = found
        return found
    }

    func takeCost() -> Int {
        defer { cost = 0 }
        return cost
    }

    private func id(_ key: Key) -> Int32 {
        if let known = ids[key] { return known }
        guard keys.count < Self.limit else {
            isOverfull = true
            return 0
        }
        let id = Int32(keys.count)
        ids[key] = id
        keys.append(key)
        next.append([])
        isAccepting.append(accepts(key))
        isDead.append(kind == .whole ? key.states.isEmpty : key == Self.failed)
        return id
    }

    private func key(_ key: Key, _ byte: UInt8) -> Key {
        guard case .items(let name) = kind else {
            return Key(phase: 0, seen: false, states: automaton.step(key.states, byte))
        }
        if key == Self.failed { return key }
        var new = Key(phase: key.phase, seen: key.seen, states: [])
        if byte == 0x26 {
            guard endsWell(key) else { return Self.failed }
            new.seen = key.seen || isNamed(key)
            new.phase = 0
        } else if key.phase == Self.inValue {
            new.states = automaton.step(key.states, byte)
            if new.states.isEmpty { return Self.failed }
        } else if byte == 0x3d, key.phase != Self.inOtherValue {
            new.phase = Int(key.phase) == name.count ? Self.inValue : Self.inOtherValue
            if new.phase == Self.inValue { new.states = startStates }
        } else if key.phase >= 0 {
            new.phase = Int(key.phase) < name.count && name[Int(key.phase)] == byte ? key.phase + 1 : Self.inOther
        }
        return new
    }

    /// Whether the item that is being read has the name.
    private func isNamed(_ key: Key) -> Bool {
        guard case .items(let name) = kind else { return false }
        return key.phase == Self.inValue || Int(key.phase) == name.count
    }

    private func endsWell(_ key: Key) -> Bool {
        guard isNamed(key) else { return true }
        return key.phase == Self.inValue ? automaton.accepts(key.states) : acceptsEmpty
    }

    private func accepts(_ key: Key) -> Bool {
        guard kind != .whole else { return automaton.accepts(key.states) }
        guard key != Self.failed, endsWell(key) else { return false }
        return key.seen || isNamed(key) || acceptsEmpty
    }
}
