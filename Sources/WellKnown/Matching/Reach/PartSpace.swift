/// All conditions that the rules at hand set on one part of an address, and walks over its texts, shortest first.
final class PartSpace {
    private(set) var tracks: [PartTrack] = []
    /// Conditions that every text must meet to be a text of this part.
    private var frame: [Int] = []
    private var indices: [String: Int] = [:]
    private let legal: ByteSet
    private var isPrepared = false

    /// Letters first: they read best in a witness.
    private static let preference: [UInt8] =
        Array("abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_.~/&=+,;:@!$'()*".utf8)
        + (UInt8.min...UInt8.max)

    init(legal: ByteSet) { self.legal = legal }

    func frame(_ automaton: PartAutomaton) {
        frame.append(tracks.count)
        tracks.append(PartTrack(automaton, .whole))
    }

    /// The index of a condition; `nil` when it is too large to reason about.
    func add(_ key: String, _ kind: PartTrack.Kind, _ make: () -> PartAutomaton?) -> Int? {
        if let known = indices[key] { return known }
        guard let automaton = make() else { return nil }
        indices[key] = tracks.count
        tracks.append(PartTrack(automaton, kind))
        isPrepared = false
        return tracks.count - 1
    }

    enum Visit { case goOn, prune, stop }
    enum Ending { case complete, stopped, outOfBounds }

    /// Goes over all texts up to what the conditions tell apart, shortest first.
    ///
    /// - Parameters:
    ///   - limit: how much work may be done, in the units of ``RuleReach/Limits``; taken from what is left.
    ///   - visit: gets whether each condition accepts the text, and whether it still can accept a longer one.
    func walk(
        _ conditions: [Int], limit: inout Int,
        _ visit: (_ accepts: [Bool], _ isDead: [Bool], _ text: () -> [UInt8]) -> Visit
    ) -> Ending {
        prepare()
        let classes = tracks.first?.classes ?? []
        // The frame's states, then place and state of each condition that is not dead: most die within a few bytes.
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

    /// - Returns: `nil` when no text goes on like that.
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

    /// Bytes that no condition tells apart are one: only one of them is tried.
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
