/// Paths that are alike: `/healthz`; `/api/` for all below it; `/auth/*/callback`, where `*` is one part of a path.
struct PathPatterns: Sendable {
    private let exact: Set<String>
    private let prefixes: [String]
    private let parts: [[Substring]]

    init(_ patterns: Set<String>) {
        exact = patterns.filter { !$0.contains("*") && !$0.hasSuffix("/") }
        prefixes = patterns.filter { !$0.contains("*") && $0.hasSuffix("/") }
        parts = patterns.filter { $0.contains("*") }.map { $0.split(separator: "/") }
    }

    func contain(_ path: String) -> Bool {
        exact.contains(path) || prefixes.contains { path.hasPrefix($0) } || parts.contains { Self.matches(path, $0) }
    }

    /// Compares part by part. Most paths differ in the first one, so the path is not split beforehand.
    private static func matches(_ path: String, _ pattern: [Substring]) -> Bool {
        let slash = UInt8(ascii: "/")
        var rest = path.utf8[...]
        for part in pattern {
            rest = rest.drop { $0 == slash }
            let given = rest.prefix { $0 != slash }
            guard !given.isEmpty, part == "*" || given.elementsEqual(part.utf8) else { return false }
            rest = rest[given.endIndex...]
        }
        return rest.allSatisfy { $0 == slash }
    }
}
