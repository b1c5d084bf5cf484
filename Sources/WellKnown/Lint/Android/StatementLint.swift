import SSOShared

/// What is wrong with one statement, and what it says, for the checks across statements.
struct StatementLint {
    let statement: AssetStatement
    let relations: [String]
    /// The app it speaks of, when it has a well-formed name.
    private(set) var package: String?
    private(set) var fingerprints: [(octets: [UInt8], node: JSONNode)] = []

    init(_ statement: AssetStatement, pen: inout FindingPen) {
        self.statement = statement
        relations = statement.relations
        let members = statement.node.object ?? []
        let misplaced = [RelationExtension.componentsKey, "exclude"]
        let unknown = UnknownKeyLint(
            statement.unknownMembers.filter { !misplaced.contains($0.key) }, known: AssetStatement.keys,
            present: members, needed: ["relation", "target"], place: "the statement", pen: &pen)
        lintRelation(isMisspelled: unknown.meant.contains("relation"), pen: &pen)
        switch statement.target {
        case .absent:
            if !unknown.meant.contains("target") {
                pen.note(StatementRules.noTarget, "The statement has no target.", at: statement.node)
            }
        case .wrongType(let member):
            pen.note(
                StatementRules.targetType, "target is \(member.value.typeName); it must be an object.", at: member.value
            )
        case .present(let target, _):
            let lint = TargetLint(target, relations: relations, pen: &pen)
            package = lint.package
            fingerprints = lint.fingerprints
            if target.namespace.value == "web" { lintWebRelations(pen: &pen) }
        }
        DynamicPlaceLint.lint(statement, pen: &pen)
    }

    private func lintRelation(isMisspelled: Bool, pen: inout FindingPen) {
        switch statement.relation {
        case .absent:
            guard !isMisspelled else { return }
            pen.note(StatementRules.noRelation, "The statement has no relation.", at: statement.node)
        case .wrongType(let member):
            pen.note(
                StatementRules.relationType, "relation is \(member.value.typeName); it must be an array of strings.",
                at: member.value, fix: member.value.string.map { "Write [\($0.quoted)]." })
        case .present(let nodes, let member):
            if nodes.isEmpty { pen.note(StatementRules.noRelation, "relation is empty.", at: member.value) }
            var seen: Set<String> = []
            for node in nodes {
                lint(node, pen: &pen)
                if let text = node.string, !seen.insert(text).inserted {
                    pen.note(StatementRules.duplicate, "The relation \(text.quoted) stands there twice.", at: node)
                }
            }
        }
    }

    private func lint(_ node: JSONNode, pen: inout FindingPen) {
        guard let text = node.string else {
            pen.note(StatementRules.relationType, "A relation is \(node.typeName); it must be a string.", at: node)
            return
        }
        if AssetRelation.fault(in: text) != nil {
            let meant = RelationNames.meant(by: PackageName.trimmed(text))
            pen.note(
                StatementRules.relationSyntax,
                "The relation \(text.quoted) is not kind/detail\(meant.map { "; did you mean \($0)?" } ?? ".")",
                at: node, fix: meant.map { "Write \"\($0)\"." })
        } else if !RelationNames.known.contains(text) {
            let meant = RelationNames.meant(by: text)
            pen.note(
                StatementRules.relationUnknown,
                "No known reader asks for the relation \(text.quoted)\(meant.map { "; did you mean \($0)?" } ?? ".")",
                at: node, fix: meant.map { "Write \"\($0)\"." })
        }
    }

    private func lintWebRelations(pen: inout FindingPen) {
        for node in statement.relation.value ?? [] where node.string == RelationNames.handleAllURLs {
            pen.note(
                StatementRules.webHandleURLs, "handle_all_urls does nothing for a site: only apps open links.", at: node
            )
        }
    }
}
