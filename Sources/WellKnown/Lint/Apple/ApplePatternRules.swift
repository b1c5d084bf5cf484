/// The rules of components and paths: all the lists of patterns, one behind the other.
enum ApplePatternRules {
    static let rules =
        AppleOrderRules.rules + AppleComponentRules.rules + ApplePathRules.rules + AppleVariableRules.rules

    /// A file with these components, as an example.
    static func example(_ components: String) -> LintExample { .aasa(AppleExample.components(components)) }
}
