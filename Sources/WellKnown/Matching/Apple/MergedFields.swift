import SSOShared

/// Where a value of a rule comes from.
public enum ValueOrigin: String, Sendable, Hashable {
    case component
    /// An element of the legacy `paths`.
    case path
    case entryDefaults = "defaults of the entry"
    case applinksDefaults = "defaults of applinks"
    case builtIn = "built in"
}

/// A component and the defaults below it, key by key.
struct MergedFields: Sendable {
    struct Value<Content: Sendable>: Sendable {
        let content: Content
        let origin: ValueOrigin
        /// Where the value stands in the document; `nil` for what is built in.
        let range: Range<Int>?
    }

    let layers: [(origin: ValueOrigin, fields: ComponentFields)]
    let wrongTypeKeepsDefault: Bool

    /// The value of the nearest layer that has the key. One of the wrong type hides those below it, and counts as if
    /// nothing were written.
    func value<Content: Sendable>(
        _ field: (ComponentFields) -> JSONField<Content>, builtIn: Content
    ) -> Value<Content> {
        for layer in layers {
            switch field(layer.fields) {
            case .absent: continue
            case .wrongType where wrongTypeKeepsDefault: continue
            case .wrongType(let member):
                return Value(content: builtIn, origin: .builtIn, range: member.value.range)
            case .present(let content, let member):
                return Value(content: content, origin: layer.origin, range: member.value.range)
            }
        }
        return Value(content: builtIn, origin: .builtIn, range: nil)
    }
}
