/// All conditions of the rules on one part of a URL. Enumerates texts of that part, shortest first.
final class PartSpace {
    private(set) var tracks: [PartTrack] = []
    /// The conditions that every text of this part must meet.
    private var frame: [Int] = []
    private var indices: [String: Int] = [:]
    private let legal: ByteSet
    private var isPrepared = false

    /// The order in which bytes are tried. Letters come first, so that samples are readable.
    private static let preference: [UInt8] =
        Array("abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_.~/&=+,;:@!$'()*".utf8)
        + (UInt8.min...UInt8.max)

    init(legal: ByteSet) { self.legal = legal }

    func frame(_ automaton: PartAutomaton) {
        frame.append(tracks.count)
        tracks.append(PartTrack(automaton, .whole))
    }

    /// A condition is too large, or does not belong into this space.
    struct TooLarge: Error {}

    func add(_ key: String, _ kind: PartTrack.Kind, _ make: () -> PartAutomaton?) throws -> Int {
        if let known = indices[key] { return known }
        guard let automaton = make() else { throw TooLarge() }
        indices[key] = tracks.count
        tracks.append(PartTrack(automaton, kind))
        isPrepared = false
        return tracks.count - 1
    }

    private static let largeState = 64

    enum Visit { case goOn, prune, stop }
    enum Ending { case complete, stopped, outOfBounds }

    /// Visits one text of each class that the conditions distinguish, shortest first.
    ///
    /// - Parameters:
    ///   - limit: the work limit in the units of ``RuleCoverage/Limits``. The work done is subtracted.
    ///   - visit: called with whether each condition accepts the text, and whether it can accept a longer one.
    func walk(
        _ conditions: [Int], limit: inout Int,
        _ visit: (_ accepts: [Bool], _ isDead: [Bool], _ text: () -> [UInt8]) -> Visit
    ) -> Ending {
        prepare()
        let classes = tracks.first?.classes ?? []
        // The frame's states, then index and state of each condition that can still match. Most end in a few bytes.
        let start = frame.map { _ in Int32(0) } + conditions.indices.flatMap { [Int32($0), 0] }
        var states: [[Int32]] = [start]
        var seen: Set<[Int32]> = [start]
        var parents: [(state: Int, byte: UInt8)] = [(0, 0)]
        var current = 0
        while current < states.count {
            let state = states[current]
            limit -= 20 + 2 * state.count + 2 * conditions.count
            guard limit >= 0 else { return .outOfBounds }
            let isText = frame.indices.allSatisfy { tracks[frame[$0]].isAccepting[Int(state[$0])] }
            var accepts = Array(repeating: false, count: conditions.count)
            var isDead = Array(repeating: true, count: conditions.count)
            for index in stride(from: frame.count, to: state.count, by: 2) {
                let place = Int(state[index])
                isDead[place] = false
                accepts[place] = isText && tracks[conditions[place]].isAccepting[Int(state[index + 1])]
            }
            let end = current
            func text() -> [UInt8] {
                var bytes: [UInt8] = []
                var at = end
                while at != 0 {
                    bytes.append(parents[at].byte)
                    at = parents[at].state
                }
                return bytes.reversed()
            }
            switch isText ? visit(accepts, isDead, text) : .goOn {
            case .stop: return .stopped
            case .prune: break
            case .goOn:
                for index in classes.indices {
                    let next = step(state, conditions, index)
                    limit -= takeCost()
                    guard limit >= 0 else { return .outOfBounds }
                    guard let next else { continue }
                    if isOverfull { return .outOfBounds }
                    // A state of many conditions takes long to build and to hash.
                    if next.count > Self.largeState { limit -= 4 * next.count }
                    guard seen.insert(next).inserted else { continue }
                    states.append(next)
                    parents.append((current, classes[index]))
                }
            }
            current += 1
        }
        return .complete
    }

    private var isOverfull = false
    private var cost = 0

    private func takeCost() -> Int {
        defer { cost = 0 }
        return cost
    }

    /// - Returns: `nil` if no text continues like that.
    private func step(_ state: [Int32], _ conditions: [Int], _ index: Int) -> [Int32]? {
        var next: [Int32] = []
        next.reserveCapacity(state.count)
        for place in frame.indices {
            let track = tracks[frame[place]]
            let to = track.step(state[place], index)
            cost += 2 + track.takeCost()
            if track.isDead[Int(to)] { return nil }
            next.append(to)
        }
        for at in stride(from: frame.count, to: state.count, by: 2) {
            let track = tracks[conditions[Int(state[at])]]
            let to = track.step(state[at + 1], index)
            cost += 4 + track.takeCost()
            if track.isOverfull { isOverfull = true }
            if !track.isDead[Int(to)] {
                next.append(state[at])
                next.append(to)
            }
        }
        return next
    }

    /// Prepares the classes of bytes. Only one byte of each class is tried.
    private func prepare() {
        guard !isPrepared else { return }
        isPrepared = true
        isOverfull = false
        var sets: Set<ByteSet> = []
        for track in tracks {
            for edges in track.automaton.edges { for edge in edges { sets.insert(edge.bytes) } }
            if case .items(let name) = track.kind { for byte in name + [0x26, 0x3d] { sets.insert(ByteSet([byte])) } }
        }
        var groups: [[Bool]: UInt8] = [:]
        var classes: [UInt8] = []
        for byte in Self.preference where legal.contains(byte) && !classes.contains(byte) {
            let signature = sets.map { $0.contains(byte) }
            guard groups[signature] == nil else { continue }
            groups[signature] = byte
            classes.append(byte)
        }
        tracks = tracks.map { PartTrack($0.automaton, $0.kind) }
        for track in tracks { track.classes = classes }
    }
}

/// One condition on one part of a URL, as a deterministic automaton whose states are built on demand.
final class PartTrack {
    enum Kind: Hashable {
        /// The whole part must match.
        case whole
        /// Every item with that name must have a matching value. Without such an item, the empty text must match.
        case items(name: [UInt8])
    }

    private struct Key: Hashable {
        /// `inOther` is inside an item of another name, `inValue` is inside a value of the name. Other values are the
        /// number of bytes of the name that were read.
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
    /// Whether no text that continues from a state is accepted.
    private(set) var isDead: [Bool] = []
    private(set) var isOverfull = false
    /// The work of building new states since the last call, in the units of ``RuleCoverage/Limits``.
    private var cost = 0

    /// One byte of each class. The conditions do not distinguish the bytes of a class.
    var classes: [UInt8] = []

    static let limit = 4_000
    /// The work of one new state of a condition on items. There can be thousands of them, each with many states.
    private static let costOfItemState = 200

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

    /// Returns the next state. The state before the first byte is 0.
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
        if kind != .whole { cost += Self.costOfItemState }
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
