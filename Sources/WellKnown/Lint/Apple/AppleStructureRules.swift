enum AppleStructureRules {
    static let rules: [LintRule] = []
}
