/// All rules of the linter.
public enum LintCatalogue {
    /// In the order of docs/findings. Codes are unique.
    public static let rules: [LintRule] =
        TransportRules.rules + BodyRules.rules + JSONRules.rules + AppleStructureRules.rules
        + AppleIdentifierRules.rules + AppleOrderRules.rules + AppleComponentRules.rules + ApplePathRules.rules
        + AppleVariableRules.rules + StatementRules.rules + FingerprintRules.rules + DynamicRules.rules
        + ParityRules.rules + ProjectRules.rules

    private static let byCode = Dictionary(rules.map { ($0.code, $0) }) { first, _ in first }

    static func rule(_ code: String) -> LintRule? { byCode[code] }
}

extension LintRule {
    /// The rule with that code; `nil` for a code that does not exist.
    public static func named(_ code: String) -> LintRule? { LintCatalogue.rule(code) }
}
