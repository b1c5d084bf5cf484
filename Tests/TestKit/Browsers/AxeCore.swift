import Foundation

/// axe-core, the checker of accessibility rules, as `script/setup --test` fetches it.
enum AxeCore {
    /// `.build/axe/axe.min.js` of this package.
    private static let path = TestVectors.repository.appending(path: ".build/axe/axe.min.js").path

    static let script: String? = FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }

    /// Whether the checks run. In CI they always do, and a missing script is a failure.
    static let isAvailable = script != nil || ProcessInfo.processInfo.environment["CI"] != nil

    /// Runs the rules of WCAG 2.2 A and AA and axe's best practices, and returns the violations as JSON.
    static let run = """
        return axe.run(document, {
            resultTypes: ['violations'],
            runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
        }).then(found => found.violations.flatMap(rule => rule.nodes.map(node =>
            rule.id + ' ' + node.target.join(' ') + ': ' + node.failureSummary + ' ' + node.html)));
        """
}
