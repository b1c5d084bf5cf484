import SSOShared

/// How a rule transforms a URL before comparing.
struct LinkReading: OptionSet, Sendable, Hashable {
    let rawValue: UInt8
    /// `caseSensitive: false`.
    static let folded = LinkReading(rawValue: 1)
    /// `percentEncoded: false`.
    static let decoded = LinkReading(rawValue: 2)
}

/// A compiled component or legacy path. A class, because copying this large struct per URL and rule is slow.
final class AppleRule: Sendable {
    struct Item: Sendable {
        let name: [UInt8]
        let pattern: LinkPattern
        /// The place of the pattern in the document.
        let range: Range<Int>
    }

    enum Query: Sendable {
        case whole(LinkPattern)
        case items([Item])
    }

    struct Place: Sendable {
        /// The range in ``JSONDocument/text``, or `nil` if the value is built in.
        let range: Range<Int>?
        let origin: ValueOrigin
    }

    struct Places: Sendable { let path, query, fragment, exclude: Place }

    /// The index in the `components` or `paths` of its entry, as written.
    let index: Int
    let isPath: Bool
    let range: Range<Int>
    let reading: LinkReading
    let path: LinkPattern
    /// Whether the path is compared with its first slash. True only under some assumptions.
    let pathKeepsSlash: Bool
    let query: Query
    let fragment: LinkPattern
    let isExclude: Bool

    let places: Places

    /// Whether the path is written in the rule itself and names it.
    var isNamedByPath: Bool { isPath || places.path.origin == .component }

    init(
        index: Int, isPath: Bool, range: Range<Int>, reading: LinkReading, path: LinkPattern, pathKeepsSlash: Bool,
        query: Query, fragment: LinkPattern, isExclude: Bool, places: Places
    ) {
        (self.index, self.isPath, self.range, self.isExclude, self.places) = (index, isPath, range, isExclude, places)
        (self.reading, self.path, self.pathKeepsSlash) = (reading, path, pathKeepsSlash)
        (self.query, self.fragment) = (query, fragment)
    }

    /// Whether the rule matches every URL.
    var isCatchAll: Bool {
        guard path.isAnything, fragment.isAnything else { return false }
        switch query {
        case .whole(let pattern): return pattern.isAnything
        case .items(let items): return items.allSatisfy(\.pattern.isAnything)
        }
    }
}

/// The rules of one entry of `details`, in the order in which they are tried.
final class AppleEntry: Sendable {
    /// The first eight bytes of a matching path, with a mask of the bits that count. They are enough to skip most rules.
    struct Head: Sendable {
        let bytes: UInt64
        let mask: UInt64
        let reading: LinkReading
    }

    /// The index in `details`, as written.
    let index: Int
    /// The key, if `details` has the dictionary form.
    let key: String?
    let range: Range<Int>
    let apps: [String]
    let rules: [AppleRule]

    let heads: [Head]

    init(index: Int, key: String?, range: Range<Int>, apps: [String], rules: [AppleRule]) {
        self.index = index
        self.key = key
        self.range = range
        self.apps = apps
        self.rules = rules
        heads = rules.map { rule in
            let head = rule.pathHead
            return Head(
                bytes: LinkText(head).head, mask: head.count >= 8 ? .max : (1 << UInt64(8 * head.count)) &- 1,
                reading: rule.reading)
        }
    }
}

extension AppleEntry {
    /// The rule's JSON Pointer (RFC 6901).
    func pointer(of rule: AppleRule) -> String {
        "/applinks/details/\(key.map(JSONDocument.escaped) ?? String(index))/\(rule.isPath ? "paths" : "components")/\(rule.index)"
    }
}

extension AppleRule {
    /// The common beginning of all matching paths. Empty if the path is compared with its slash.
    fileprivate var pathHead: [UInt8] { pathKeepsSlash ? [] : path.prefix }
}
