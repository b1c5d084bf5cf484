import SSOShared

/// What only shows across the statements of a list.
enum ListLint {
    static func lint(_ file: AssetLinksFile, statements: [StatementLint], pen: inout FindingPen) {
        lintDuplicates(file, pen: &pen)
        lintPackages(statements, pen: &pen)
        lintDynamic(statements, pen: &pen)
        DebugKeyLint.lint(statements, pen: &pen)
    }

    private static func lintDuplicates(_ file: AssetLinksFile, pen: inout FindingPen) {
        var seen: [CanonicalText: Int] = [:]
        for (index, statement) in file.statements.enumerated() where statement.isObject {
            let text = statement.node.canonicalText
            if let first = seen[text] {
                pen.note(
                    StatementRules.duplicate, "Statements \(first + 1) and \(index + 1) are equal.", at: statement.node)
            } else {
                seen[text] = index
            }
        }
    }

    private static func lintPackages(_ statements: [StatementLint], pen: inout FindingPen) {
        var order: [String] = []
        var lists: [String: [StatementLint]] = [:]
        for statement in statements {
            guard let package = statement.package else { continue }
            if lists[package] == nil { order.append(package) }
            lists[package, default: []].append(statement)
        }
        for package in order {
            let list = lists[package] ?? []
            // DuckDuckGo reads these two relations, and the others not at all.
            let read = list.filter {
                $0.relations.contains(RelationNames.handleAllURLs)
                    || $0.relations.contains(RelationNames.getLoginCredentials)
            }
            let sets = Set(read.map { Set($0.fingerprints.map(\.octets)) })
            if read.count > 1, sets.count > 1, let last = read.last {
                pen.note(
                    StatementRules.splitPackage,
                    "\(package) stands in \(read.count) statements with other fingerprints: DuckDuckGo keeps these only.",
                    at: last.statement.node)
            }
            let relations = Set(list.flatMap(\.relations))
            if relations.contains(RelationNames.handleAllURLs), !relations.contains(RelationNames.getLoginCredentials),
                let member = list.first?.statement.relation.member
            {
                pen.note(
                    StatementRules.missingLoginCredentials,
                    "\(package) may open links, but not use passwords and passkeys: no get_login_creds.",
                    at: member.value)
            }
            let keys = Set(list.flatMap { $0.fingerprints.map(\.octets) })
            if keys.count == 1, !PackageName.isDebug(package), let node = list.first?.fingerprints.first?.node {
                pen.note(
                    FingerprintRules.playSigning,
                    "\(package) has one fingerprint: with Play App Signing it must be the app signing key's.", at: node)
            }
        }
    }

    private static func lintDynamic(_ statements: [StatementLint], pen: inout FindingPen) {
        var seen: Set<String> = []
        for statement in statements {
            guard let package = statement.package else { continue }
            for item in statement.statement.relationExtensions.value ?? []
            where item.relation == RelationNames.handleAllURLs && !item.components.isAbsent {
                guard !seen.insert(package).inserted else { continue }
                pen.note(
                    DynamicRules.declaredTwice,
                    "\(package) has dynamic rules already: which of the two counts is not defined.",
                    atKey: item.member)
            }
        }
    }
}
