import SSOShared

/// Checks one statement and keeps its parts for the checks across statements.
struct StatementLint {
    let statement: AssetStatement
    let relations: [String]
    /// The package name, if it is well formed.
    private(set) var package: String?
    private(set) var fingerprints: [(octets: [UInt8], node: JSONNode)] = []

    init(_ statement: AssetStatement, into findings: inout FindingCollector) {
        self.statement = statement
        relations = statement.relations
        let members = statement.node.object ?? []
        let misplaced = [RelationExtension.componentsKey, "exclude"]
        // What belongs into the target and is beside it.
        let flat = statement.unknownMembers.filter { AssetTarget.keys.contains($0.key) }
        let unknown = UnknownKeyLint(
            statement.unknownMembers.filter { !misplaced.contains($0.key) && !AssetTarget.keys.contains($0.key) },
            known: AssetStatement.keys,
            present: members, needed: ["relation", "target"], place: "the statement", into: &findings)
        let own = Set((statement.target.value?.node.object ?? []).map(\.key))
        for member in flat where !statement.target.isAbsent {
            UnknownKeyLint.report(
                member, in: "the statement", place: "target", isThere: own.contains(member.key), &findings)
        }
        lintRelation(isMisspelled: unknown.meant.contains("relation"), into: &findings)
        switch statement.target {
        case .absent:
            if !unknown.meant.contains("target") {
                let keys = flat.map(\.key).joined(separator: ", ")
                findings.add(
                    StatementRules.noTarget, at: statement.node,
                    "The statement has no target\(keys.isEmpty ? "" : "; it has \(keys) itself")",
                    fix: keys.isEmpty ? nil : "Write \(keys) into \"target\": {…}.")
            }
        case .wrongType(let member):
            findings.add(StatementRules.targetType, "target", member.value, mustBe: "an object")
        case .present(let target, _):
            let lint = TargetLint(target, relations: relations, into: &findings)
            package = lint.package
            fingerprints = lint.fingerprints
            if target.namespace.value == "web" { lintWebRelations(into: &findings) }
        }
        DynamicPlaceLint.lint(statement, into: &findings)
    }

    private func lintRelation(isMisspelled: Bool, into findings: inout FindingCollector) {
        switch statement.relation {
        case .absent:
            guard !isMisspelled else { return }
            findings.add(StatementRules.noRelation, at: statement.node, "The statement has no relation.")
        case .wrongType(let member):
            findings.add(
                StatementRules.relationType, "relation", member.value, mustBe: "an array of strings",
                fix: member.value.string.map { "Write [\($0.quoted)]." })
        case .present(let nodes, let member):
            if nodes.isEmpty { findings.add(StatementRules.noRelation, at: member.value, "relation is empty.") }
            var seen: Set<String> = []
            for node in nodes {
                lint(node, into: &findings)
                if let text = node.string, !seen.insert(text).inserted {
                    findings.add(
                        StatementRules.duplicate, at: node, "The relation \(text.quoted) appears twice.",
                        fix: .remove(at: node.range.lowerBound))
                }
            }
        }
    }

    private func lint(_ node: JSONNode, into findings: inout FindingCollector) {
        guard let text = node.string else {
            findings.add(StatementRules.relationType, at: node, "A relation is \(node.typeName); it must be a string.")
            return
        }
        if AssetRelation.fault(in: text) != nil {
            let meant = RelationNames.meant(by: PackageName.trimmed(text))
            findings.add(
                StatementRules.relationSyntax, at: node,
                "The relation \(text.quoted) is not kind/detail\(meant.map { "; did you mean \($0)?" } ?? ".")",
                fix: meant.map { .write($0, at: node) })
        } else if !RelationNames.known.contains(text) {
            let meant = RelationNames.meant(by: text)
            findings.add(
                StatementRules.relationUnknown, at: node,
                "No known reader asks for the relation \(text.quoted)\(meant.map { "; did you mean \($0)?" } ?? ".")",
                fix: meant.map { .write($0, at: node) })
        }
    }

    private func lintWebRelations(into findings: inout FindingCollector) {
        for node in statement.relation.value ?? [] where node.string == RelationNames.handleAllURLs {
            findings.add(
                StatementRules.webHandleURLs, at: node, "handle_all_urls does nothing for a site: only apps open links."
            )
        }
    }
}

/// The syntax of relations, and the relations that known readers use.
enum RelationNames {
    static let handleAllURLs = AssetLinks.handleAllURLs
    static let getLoginCredentials = AssetLinks.getLoginCredentials
    /// Used by Trusted Web Activities, and for messages between a page and an app.
    static let useAsOrigin = "delegate_permission/common.use_as_origin"
    static let shareLoginCredentials = "delegate_permission/common.share_login_creds"
    /// Used by `getInstalledRelatedApps`. Only here, `site` is the URL of a manifest and includes a path.
    static let queryWebAPK = "delegate_permission/common.query_webapk"
    /// Used by Chrome's warning about look-alike addresses.
    static let lookalikes = "lookalikes/allowlist"

    static let known = [
        handleAllURLs, getLoginCredentials, useAsOrigin, shareLoginCredentials, queryWebAPK, lookalikes,
    ]

    /// The known relation that the author of a text probably meant. The text must have no white space around it.
    static func meant(by text: String) -> String? {
        if let near = SpellingSuggestion.of(text, among: known) { return near }
        // The text may be the detail alone, as in "handle_all_urls" or "common.handle_all_urls".
        let detail = String(text.split(separator: "/").last ?? "")
        return known.first { $0.hasSuffix("." + detail) || $0.hasSuffix("/" + detail) && detail.contains(".") }
    }
}
