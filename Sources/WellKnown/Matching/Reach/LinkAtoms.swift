/// The queries, or the fragments, that the rules at hand tell apart: one of each kind, the shortest.
struct LinkAtoms {
    struct Atom {
        /// `nil` when the address has no such part.
        let text: [UInt8]?
        /// The conditions that it meets.
        let meets: Set<Int>
    }

    private(set) var atoms: [Atom] = []
    /// Every text is of one of these kinds.
    private(set) var isComplete = true

    /// More kinds than this are not looked at.
    private static let limit = 256

    init(_ space: PartSpace, _ conditions: [Int], tellsAbsent: Bool, limit: inout Int) {
        var kinds: Set<Set<Int>> = []
        var atoms: [Atom] = []
        if tellsAbsent || conditions.isEmpty {
            kinds.insert([])
            atoms.append(Atom(text: nil, meets: []))
        }
        guard !conditions.isEmpty else {
            self.atoms = atoms
            return
        }
        let ending = space.walk(conditions, limit: &limit) { accepts, isDead, text in
            let meets = Set(conditions.indices.filter { accepts[$0] }.map { conditions[$0] })
            if kinds.insert(meets).inserted {
                let text = text()
                atoms.append(Atom(text: text.isEmpty && !tellsAbsent ? nil : text, meets: meets))
            }
            return atoms.count >= Self.limit ? .stop : isDead.allSatisfy { $0 } ? .prune : .goOn
        }
        self.atoms = atoms
        isComplete = ending == .complete
    }
}
