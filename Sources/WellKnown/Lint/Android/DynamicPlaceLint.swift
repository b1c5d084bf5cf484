import SSOShared

/// Whether dynamic rules stand where Android looks for them; and if so, what is wrong with them.
enum DynamicPlaceLint {
    static func lint(_ statement: AssetStatement, pen: inout FindingPen) {
        lintStatement(statement, pen: &pen)
        if let target = statement.target.value { lintTarget(target, pen: &pen) }
        switch statement.relationExtensions {
        case .absent: break
        case .wrongType(let member):
            pen.note(
                DynamicRules.malformed, "relation_extensions is \(member.value.typeName); it must be an object.",
                at: member.value)
        case .present(let extensions, let member):
            if extensions.isEmpty {
                pen.note(DynamicRules.malformed, "relation_extensions is empty.", at: member.value)
            }
            for item in extensions { lint(item, of: statement, pen: &pen) }
        }
    }

    private static func lintStatement(_ statement: AssetStatement, pen: inout FindingPen) {
        for member in statement.unknownMembers {
            if member.key == RelationExtension.componentsKey {
                pen.note(
                    DynamicRules.wrongPlace, "dynamic_app_link_components stands in the statement itself.",
                    atKey: member)
            } else if member.key == "exclude" {
                lintExclude(member, in: "the statement", pen: &pen)
            }
        }
    }

    private static func lintTarget(_ target: AssetTarget, pen: inout FindingPen) {
        for member in target.unknownMembers
        where member.key == RelationExtension.componentsKey || member.key == "relation_extensions" {
            pen.note(DynamicRules.wrongPlace, "\(member.key) stands in the target.", atKey: member)
        }
        for member in target.unknownMembers where isBogusExclude(member) {
            lintExclude(member, in: "the target", pen: &pen)
        }
    }

    /// Lists of paths of a form that a blog invented.
    static func isBogusExclude(_ member: JSONMember) -> Bool {
        member.key == "exclude" && (member.value["paths"] != nil || member.value.array != nil)
    }

    private static func lintExclude(_ member: JSONMember, in place: String, pen: inout FindingPen) {
        guard isBogusExclude(member) else {
            pen.note(StatementRules.unknownKey, "Unknown key \"exclude\" in \(place).", atKey: member)
            return
        }
        pen.note(DynamicRules.bogusSchema, "exclude in \(place) is read by nobody.", atKey: member)
    }

    private static func lint(_ item: RelationExtension, of statement: AssetStatement, pen: inout FindingPen) {
        guard item.relation != RelationExtension.componentsKey else {
            pen.note(
                DynamicRules.wrongPlace,
                "dynamic_app_link_components stands in relation_extensions itself, not under its relation.",
                atKey: item.member)
            return
        }
        guard item.relation == RelationNames.handleAllURLs else {
            let rules = item.components.isAbsent ? "An extension" : "dynamic_app_link_components"
            pen.note(
                DynamicRules.wrongRelation, "\(rules) stands under \(item.relation.quoted), not under handle_all_urls.",
                atKey: item.member, fix: "Write \"\(RelationNames.handleAllURLs)\".")
            return
        }
        if !statement.relations.isEmpty, !statement.relations.contains(RelationNames.handleAllURLs) {
            pen.note(
                DynamicRules.wrongRelation,
                "The statement has dynamic rules, but its relation does not name handle_all_urls.", atKey: item.member)
        }
        if let target = statement.target.value, TargetLint.namespace(of: target) == "web" {
            pen.note(
                DynamicRules.wrongPlace, "Dynamic rules stand in a statement about a site: only apps have them.",
                atKey: item.member)
        }
        DynamicLint.lint(item, pen: &pen)
    }
}
