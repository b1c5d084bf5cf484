public import SSOShared

/// A member of an object as a reader finds it: not there, of another type than it should be, or there.
///
/// Phones treat the three differently, and never say which one they met. So the model keeps them apart.
public enum JSONField<Value: Sendable>: Sendable {
    case absent
    /// There, with a value of a type that the format does not have in this place.
    case wrongType(JSONMember)
    /// There and of the right type: empty is present, too.
    case present(Value, JSONMember)

    /// What it says; `nil` when it is absent or of the wrong type.
    public var value: Value? { if case .present(let value, _) = self { value } else { nil } }

    /// The key and its raw value; `nil` when it is absent.
    public var member: JSONMember? {
        switch self {
        case .absent: nil
        case .wrongType(let member), .present(_, let member): member
        }
    }

    public var isAbsent: Bool { if case .absent = self { true } else { false } }
    public var isWrongType: Bool { if case .wrongType = self { true } else { false } }

    /// Finds a member by its exact name (keys are case-sensitive everywhere) and reads it. Of duplicates the last counts.
    init(_ key: StaticString, in members: [JSONMember], as read: (JSONNode) -> Value?) {
        guard let member = members.last(where: { member in key.withUTF8Buffer { member.key.utf8.elementsEqual($0) } })
        else {
            self = .absent
            return
        }
        if let value = read(member.value) { self = .present(value, member) } else { self = .wrongType(member) }
    }
}

extension [JSONMember] {
    /// The members whose keys are not among those the format knows.
    func unknown(besides known: [String]) -> [JSONMember] {
        filter { member in !known.contains { $0.utf8.elementsEqual(member.key.utf8) } }
    }
}
