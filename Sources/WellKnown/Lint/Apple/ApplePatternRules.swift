enum ApplePatternRules {
    static let rules: [LintRule] = []
}
