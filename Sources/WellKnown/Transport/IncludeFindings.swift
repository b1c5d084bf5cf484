/// What following the includes of an assetlinks.json brought to light. What is wrong with the list itself is the linter's.
public enum IncludeFindings {
    /// - Parameter url: the address of the list itself.
    public static func findings(_ answer: AssetAnswer, url: String) -> [Finding] {
        var findings = answer.errors.compactMap { finding($0, url) }
        if answer.depth > 1 {
            findings.append(
                Finding(
                    StatementRules.includeDepth,
                    "Lists are included over \(answer.depth) steps; Android's own verifier goes one.", file: url))
        }
        return findings
    }

    private static func finding(_ error: AssetError, _ url: String) -> Finding? {
        switch error.code {
        case .fetchBudgetExhausted:
            let isLoop = error.message.hasPrefix(StatementCrawl.loopWords)
            return Finding(
                isLoop ? StatementRules.includeLoop : StatementRules.includeBudget, error.message, file: error.place)
        case .invalidQuery: return nil
        // One list over http in another is told where it stands, by the linter.
        case .secureAssetIncludesInsecure where error.place == url: return nil
        default:
            guard let place = error.place, place != url else { return nil }
            return Finding(TransportRules.dalIncludeFailed, error.message, file: place)
        }
    }
}
