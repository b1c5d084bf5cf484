/// The values of a variable as alternatives: plain ones in a trie, so that 631 languages cost no more than three; those
/// with wildcards one by one. Never multiplied out.
struct ValueList: Sendable {
    /// The node's byte, its first child, its next sibling (0: none), and whether a value ends there. Node 0 is the root.
    struct Node: Sendable {
        let byte: UInt8
        var child: Int32 = 0
        var sibling: Int32 = 0
        var isEnd = false
    }

    private(set) var nodes: [Node] = [Node(byte: 0)]
    /// Codes of ``LinkPattern``, without variables.
    let wild: [[PatternCode]]
    /// Bytes of the shortest value; `nil` when there is no value.
    let shortest: Int?
    /// How much work one use of the wild values is, in steps.
    let wildCount: Int

    init(_ values: [[PatternCode]]) {
        var plain: [[UInt8]] = []
        var wild: [[PatternCode]] = []
        for value in values {
            let bytes = value.compactMap(\.literal)
            if bytes.count == value.count { plain.append(bytes) } else { wild.append(value) }
        }
        self.wild = wild
        wildCount = wild.reduce(0) { $0 + $1.count }
        shortest = values.map { $0.count { $0 != .star } }.min()
        plain.sort { $0.lexicographicallyPrecedes($1) }
        // Sorted, each value shares its beginning with the one before: only the last child of a node is ever extended.
        var path: [Int] = [0]
        var before: [UInt8] = []
        for value in plain {
            let shared = zip(value, before).prefix { $0 == $1 }.count
            var previous: Int? = path.count > shared + 1 ? path[shared + 1] : nil
            path.removeSubrange((shared + 1)...)
            for byte in value[shared...] {
                let node = nodes.count
                nodes.append(Node(byte: byte))
                if let sibling = previous {
                    nodes[sibling].sibling = Int32(node)
                } else {
                    nodes[path[path.count - 1]].child = Int32(node)
                }
                previous = nil
                path.append(node)
            }
            nodes[path[path.count - 1]].isEnd = true
            before = value
        }
    }

    /// The child of a node by its byte; `nil` when there is none.
    @inline(__always)
    func child(of node: Int, _ byte: UInt8) -> Int? {
        var child = Int(nodes[node].child)
        while child != 0 {
            if nodes[child].byte == byte { return child }
            child = Int(nodes[child].sibling)
        }
        return nil
    }
}
