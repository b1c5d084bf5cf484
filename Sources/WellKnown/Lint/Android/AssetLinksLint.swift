import SSOShared

/// Lints an assetlinks.json file: the codes `dal.*`, `fp.*` and `dyn.*`.
///
/// Sources: see ``StatementRules``, ``FingerprintRules`` and ``DynamicRules``.
public enum AssetLinksLint {
    /// The findings of a file whose root is a list.
    ///
    /// - Parameter isSecure: whether the file is served over https.
    /// - Returns: the findings in the order of the file, at most 200 of each code.
    public static func findings(in file: AssetLinksFile, isSecure: Bool = true) -> [Finding] {
        var findings = FindingCollector(file.document)
        check(file, isSecure: isSecure, into: &findings)
        return findings.sorted
    }

    /// - Parameter host: the host that serves the file, or `nil` if it is unknown.
    static func check(
        _ file: AssetLinksFile, isSecure: Bool = true, host: String? = nil, into findings: inout FindingCollector
    ) {
        if file.statements.isEmpty, let root = file.document.root {
            findings.add(StatementRules.emptyList, at: root, "The list has no statements.")
        }
        var statements: [StatementLint] = []
        var includes: [(statement: AssetStatement, address: String)] = []
        for (index, statement) in file.statements.enumerated() {
            guard statement.isObject else {
                findings.add(
                    StatementRules.statementType, at: statement.node,
                    "Element \(index + 1) is \(statement.node.typeName); it must be a statement.")
                continue
            }
            guard statement.include.isAbsent else {
                if let address = IncludeLint.lint(statement, isSecure: isSecure, into: &findings) {
                    includes.append((statement, address))
                }
                continue
            }
            statements.append(StatementLint(statement, into: &findings))
        }
        lint(includes, into: &findings)
        if let host { IncludeLint.lintLoops(includes, host: host, into: &findings) }
        ListLint.lint(file, statements: statements, into: &findings)
        AssetLinksReaders(file).report(to: &findings)
    }

    private static func lint(
        _ includes: [(statement: AssetStatement, address: String)], into findings: inout FindingCollector
    ) {
        if let first = includes.first {
            findings.add(
                StatementRules.includeAny, at: first.statement.node,
                "The list uses include: Chrome and DuckDuckGo do not follow it.")
        }
        guard includes.count > IncludeLint.budget else { return }
        findings.add(
            StatementRules.includeBudget, at: includes[IncludeLint.budget].statement.node,
            "The list has \(includes.count) includes; Google follows \(IncludeLint.budget) in all.")
    }
}

/// Checks that compare the statements of a list.
enum ListLint {
    static func lint(_ file: AssetLinksFile, statements: [StatementLint], into findings: inout FindingCollector) {
        lintDuplicates(file, into: &findings)
        lintPackages(statements, into: &findings)
        lintDynamic(statements, into: &findings)
        DebugKeyLint.lint(statements, into: &findings)
    }

    private static func lintDuplicates(_ file: AssetLinksFile, into findings: inout FindingCollector) {
        var seen: [CanonicalText: Int] = [:]
        for (index, statement) in file.statements.enumerated() where statement.isObject {
            let text = statement.node.canonicalText
            if let first = seen[text] {
                findings.add(
                    StatementRules.duplicate, at: statement.node, "Statements \(first + 1) and \(index + 1) are equal.",
                    fix: .remove(at: statement.node.range.lowerBound))
            } else {
                seen[text] = index
            }
        }
    }

    private static func lintPackages(_ statements: [StatementLint], into findings: inout FindingCollector) {
        let named = statements.filter { $0.package != nil }
        let lists = Dictionary(grouping: named) { $0.package ?? "" }
        let packages = named.compactMap(\.package).uniqued { $0 }.map { (name: $0, statements: lists[$0] ?? []) }
        for package in packages { lintSplit(package.name, package.statements, into: &findings) }
        // A list of many apps has one finding for all of them.
        let withoutLogin = packages.compactMap { package in
            nodeWithoutLogin(package.statements).map { (name: package.name, node: $0) }
        }
        if let first = withoutLogin.first {
            findings.add(
                StatementRules.missingLoginCredentials, at: first.node,
                "\(names(withoutLogin.map(\.name))) may open links, but not use passwords and passkeys: no "
                    + "get_login_creds.")
        }
        let single = packages.compactMap { package in
            nodeOfOnlyKey(package.name, package.statements).map { (name: package.name, node: $0) }
        }
        if let first = single.first {
            let verb = single.count == 1 ? "has one fingerprint" : "have one fingerprint each"
            findings.add(
                FingerprintRules.playSigning, at: first.node,
                "\(names(single.map(\.name))) \(verb): with Play App Signing it must be the app signing key's.")
        }
    }

    private static func lintSplit(
        _ package: String, _ statements: [StatementLint], into findings: inout FindingCollector
    ) {
        // DuckDuckGo reads only these two relations.
        let read = statements.filter {
            $0.relations.contains(RelationNames.handleAllURLs)
                || $0.relations.contains(RelationNames.getLoginCredentials)
        }
        guard read.count > 1, let last = read.last else { return }
        let fingerprints = Set(read.map { Set($0.fingerprints.map(\.octets)) })
        let relations = Set(read.map { Set($0.relations) })
        guard fingerprints.count > 1 || relations.count > 1 else { return }
        let what = fingerprints.count > 1 ? "fingerprints" : "relations"
        findings.add(
            StatementRules.splitPackage, at: last.statement.node,
            "\(package) is in \(read.count) statements with different \(what). DuckDuckGo keeps only these.")
    }

    /// Where an app may open links, and not use passwords; nil for any other.
    private static func nodeWithoutLogin(_ statements: [StatementLint]) -> JSONNode? {
        let relations = Set(statements.flatMap(\.relations))
        guard relations.contains(RelationNames.handleAllURLs), !relations.contains(RelationNames.getLoginCredentials)
        else { return nil }
        return statements.first?.statement.relation.member?.value
    }

    /// The fingerprint of an app that has one alone; nil for any other.
    private static func nodeOfOnlyKey(_ package: String, _ statements: [StatementLint]) -> JSONNode? {
        let keys = Set(statements.flatMap { $0.fingerprints.map(\.octets) })
        guard keys.count == 1, !PackageName.isDebug(package) else { return nil }
        return statements.first?.fingerprints.first?.node
    }

    /// One name, or the count and the first three.
    private static func names(_ packages: [String]) -> String {
        packages.count > 1 ? "\(packages.count) apps (\(packages.listed()))" : packages.first ?? ""
    }

    private static func lintDynamic(_ statements: [StatementLint], into findings: inout FindingCollector) {
        var seen: Set<String> = []
        for statement in statements {
            guard let package = statement.package else { continue }
            for item in statement.statement.relationExtensions.value ?? []
            where item.relation == RelationNames.handleAllURLs && !item.components.isAbsent {
                guard !seen.insert(package).inserted else { continue }
                findings.add(
                    DynamicRules.declaredTwice, at: item.member,
                    "\(package) has dynamic rules already: which of the two counts is not defined.")
            }
        }
    }
}

/// Checks an `include` statement, as far as one file shows its errors.
enum IncludeLint {
    /// The number of files that Google's service fetches for the complete tree of includes.
    static let budget = 10

    /// - Parameter isSecure: whether the list is served over https, which Android and Google require.
    /// - Returns: the URL, if it can be fetched.
    static func lint(_ statement: AssetStatement, isSecure: Bool, into findings: inout FindingCollector) -> String? {
        guard let member = statement.include.member else { return nil }
        // A blog post invented {"include": {"paths": […]}}. No reader knows it. The blog puts it next to relation and
        // target, and it makes that statement invalid.
        if member.value["paths"] != nil {
            findings.add(
                DynamicRules.bogusSchema, at: member,
                "include.paths is not a known key; include is the address of another list, alone in its statement.")
            return nil
        }
        let others = [statement.relation.member, statement.target.member, statement.relationExtensions.member]
        if let other = others.lazy.compactMap({ $0?.key }).first {
            findings.add(
                StatementRules.includeWithTarget, at: member, "include is together with \(other). Neither is read.")
            return nil
        }
        guard let text = statement.include.value else {
            findings.add(StatementRules.includeSyntax, "include", member.value, mustBe: "an address")
            return nil
        }
        do {
            let address = try SiteAddress(text)
            guard isSecure, address.scheme == "http" else { return text }
            findings.add(
                StatementRules.includeInsecure, at: member.value,
                "\(text.quoted) is http; a list served over https cannot include it.")
        } catch {
            findings.add(
                StatementRules.includeSyntax, at: member.value, "include \(text.quoted) is not a web address: \(error)."
            )
        }
        return nil
    }

    /// Reports a list that includes itself. Other loops are visible only after the included lists are fetched.
    static func lintLoops(
        _ includes: [(statement: AssetStatement, address: String)], host: String, into findings: inout FindingCollector
    ) {
        for (statement, text) in includes {
            guard let address = try? SiteAddress(text), address.origin == "https://\(host.lowercased())",
                address.rest == AssetLinks.path, let node = statement.include.member?.value
            else { continue }
            findings.add(StatementRules.includeLoop, at: node, "The list of \(host) includes itself.")
        }
    }
}

/// Detects confusion of debug keys and release keys.
enum DebugKeyLint {
    static func lint(_ statements: [StatementLint], into findings: inout FindingCollector) {
        var releases: [[UInt8]: String] = [:]
        for statement in statements {
            guard let package = statement.package, !PackageName.isDebug(package) else { continue }
            for (octets, _) in statement.fingerprints where releases[octets] == nil { releases[octets] = package }
        }
        let hasRelease = statements.contains { $0.package.map { !PackageName.isDebug($0) } ?? false }
        for statement in statements {
            guard let package = statement.package, PackageName.isDebug(package) else { continue }
            for (octets, node) in statement.fingerprints {
                if let release = releases[octets] {
                    findings.add(
                        FingerprintRules.sameForDebugAndRelease, at: node,
                        "\(package) has the same fingerprint as \(release).")
                }
            }
            if !hasRelease, let node = statement.fingerprints.first?.node {
                findings.add(
                    FingerprintRules.studioDebug, at: node,
                    "\(package) is a debug build, and the list has no release: debug keys differ from machine to machine."
                )
            }
        }
    }
}
