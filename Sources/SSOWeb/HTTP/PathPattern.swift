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
        if exact.contains(path) || prefixes.contains(where: path.hasPrefix) { return true }
        guard !parts.isEmpty else { return false }
        let given = path.split(separator: "/")
        return parts.contains { pattern in
            pattern.count == given.count && zip(pattern, given).allSatisfy { $0 == "*" || $0 == $1 }
        }
    }
}
