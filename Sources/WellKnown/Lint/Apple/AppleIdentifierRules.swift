enum AppleIdentifierRules {
    static let rules: [LintRule] = []
}
