import SSOShared

/// Lints an assetlinks.json file: the codes `dal.*`, `fp.*` and `dyn.*`.
///
/// Sources: see ``StatementRules``, ``FingerprintRules`` and ``DynamicRules``.
public enum AssetLinksLint {
    /// What is wrong with a file that could be read as a list.
    ///
    /// - Parameter isSecure: the file is served over https, as Android and Google ask for it.
    /// - Returns: the findings in the order of the file, of each code the first 200.
    public static func findings(in file: AssetLinksFile, isSecure: Bool = true) -> [Finding] {
        lint(file, isSecure: isSecure).findings
    }

    /// The findings, and how many more of a code there are.
    ///
    /// - Parameter host: who serves the file, if that is known.
    static func lint(_ file: AssetLinksFile, isSecure: Bool = true, host: String? = nil) -> FindingPen {
        var pen = FindingPen(file.document)
        if file.statements.isEmpty, let root = file.document.root {
            pen.note(StatementRules.emptyList, "The list has no statements.", at: root)
        }
        var statements: [StatementLint] = []
        var includes: [(statement: AssetStatement, address: String)] = []
        for (index, statement) in file.statements.enumerated() {
            guard statement.isObject else {
                pen.note(
                    StatementRules.statementType,
                    "Element \(index + 1) is \(statement.node.typeName); it must be a statement.", at: statement.node)
                continue
            }
            guard statement.include.isAbsent else {
                if let address = IncludeLint.lint(statement, isSecure: isSecure, pen: &pen) {
                    includes.append((statement, address))
                }
                continue
            }
            statements.append(StatementLint(statement, pen: &pen))
        }
        lint(includes, pen: &pen)
        if let host { IncludeLint.lintLoops(includes, host: host, pen: &pen) }
        ListLint.lint(file, statements: statements, pen: &pen)
        AssetLinksReaders(file).note(to: &pen)
        return pen
    }

    /// A finding for a file that is at another address than the one readers ask for.
    ///
    /// - Parameter path: the path of its address, `/.well-known/assetlinks.json` when all is well.
    public static func placeFinding(path: String) -> Finding? {
        guard path != AssetLinks.path else { return nil }
        return Finding(
            StatementRules.notWellKnown, "The file is at \(path.quoted); readers ask for \(AssetLinks.path) only.")
    }

    private static func lint(_ includes: [(statement: AssetStatement, address: String)], pen: inout FindingPen) {
        if let first = includes.first {
            pen.note(
                StatementRules.includeAny, "The list uses include: Chrome and DuckDuckGo do not follow it.",
                at: first.statement.node)
        }
        guard includes.count > IncludeLint.budget else { return }
        pen.note(
            StatementRules.includeBudget,
            "The list has \(includes.count) includes; Google follows \(IncludeLint.budget) in all.",
            at: includes[IncludeLint.budget].statement.node)
    }
}
