extension JSONNode {
    /// The value with only the first of equal keys in each object; without this, readers here keep the last.
    var keepingFirstKeys: JSONNode {
        switch value {
        case .array(let items): return JSONNode(.array(items.map(\.keepingFirstKeys)), range: range)
        case .object(let members):
            var seen: Set<[UInt8]> = []
            let first = members.filter { seen.insert(Array($0.key.utf8)).inserted }.map { member in
                JSONMember(key: member.key, keyRange: member.keyRange, value: member.value.keepingFirstKeys)
            }
            return JSONNode(.object(first), range: range)
        default: return self
        }
    }
}
