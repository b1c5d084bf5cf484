import SSOShared

/// Firefox: Android's org.json, which turns numbers and the like into text, and throws the list away for what is
/// missing. It looks into a target only for relations that it knows.
enum FirefoxReading {
    static func read(_ statement: AssetStatement) -> ReaderTake {
        let node = statement.node
        guard statement.isObject else {
            return .void("an element is \(node.typeName), not an object", node, isSure: true)
        }
        if let include = statement.include.member, include.value.string != "" { return .nothing }
        guard let relation = statement.relation.value else {
            return .void(
                "relation is missing or no array", statement.relation.member?.value ?? node, isSure: true)
        }
        for item in relation where isNull(item) { return .void("a relation is null", item, isSure: true) }
        let known = [RelationNames.handleAllURLs, RelationNames.useAsOrigin]
        let relations = relation.compactMap(\.string).filter(known.contains)
        guard !relations.isEmpty else { return .nothing }
        guard let target = statement.target.value else {
            return .void("target is missing or no object", statement.target.member?.value ?? node, isSure: true)
        }
        func lacks(_ member: JSONMember?) -> Bool { member.map { isNull($0.value) } ?? true }
        guard !lacks(target.namespace.member) else { return .void("namespace is missing", target.node, isSure: true) }
        switch target.namespace.value {
        case "web":
            return lacks(target.site.member) ? .void("site is missing", target.node, isSure: true) : .nothing
        case "android_app":
            guard !lacks(target.packageName.member) else {
                return .void("package_name is missing", target.node, isSure: true)
            }
            guard let items = target.fingerprints.value else {
                return .void(
                    "the fingerprints are missing or no array", target.fingerprints.member?.value ?? target.node,
                    isSure: true)
            }
            for item in items where isNull(item) { return .void("a fingerprint is null", item, isSure: true) }
            guard let package = target.packageName.value else { return .nothing }
            return .grant(package: package, relations: relations, fingerprints: items.compactMap(\.string))
        default:
            return .skipped("the namespace is not known", target.namespace.member?.value ?? target.node)
        }
    }

    private static func isNull(_ node: JSONNode) -> Bool { if case .null = node.value { true } else { false } }
}

/// DuckDuckGo: a decoder for the whole list at once, so that one element without a relation or a target, an include for
/// example, spoils it.
enum DuckDuckGoReading {
    static func read(_ statement: AssetStatement) -> ReaderTake {
        let node = statement.node
        guard statement.isObject else {
            return .void("an element is \(node.typeName), not an object", node, isSure: true)
        }
        guard let relation = statement.relation.value else {
            let reason = statement.include.isAbsent ? "relation is missing or no array" : "an include has no relation"
            return .void(reason, statement.relation.member?.value ?? node, isSure: true)
        }
        for item in relation where !isText(item) {
            return .void("a relation is \(item.typeName), not a string", item, isSure: true)
        }
        guard let target = statement.target.value else {
            return .void("target is missing or no object", statement.target.member?.value ?? node, isSure: true)
        }
        guard let namespace = target.namespace.member?.value, isText(namespace) else {
            return .void(
                "namespace is missing or no string", target.namespace.member?.value ?? target.node, isSure: true)
        }
        if case .wrongType(let member) = target.packageName, !isText(member.value), !isNull(member.value) {
            return .void("package_name is \(member.value.typeName), not a string", member.value, isSure: true)
        }
        if case .wrongType(let member) = target.fingerprints, !isNull(member.value) {
            return .void(
                "sha256_cert_fingerprints is \(member.value.typeName), not an array", member.value, isSure: true)
        }
        for item in target.fingerprints.value ?? [] where !isText(item) {
            return .void("a fingerprint is \(item.typeName), not a string", item, isSure: true)
        }
        guard namespace.string == "android_app" else {
            return namespace.string == "web" ? .nothing : .skipped("the namespace is not known", namespace)
        }
        guard let package = target.packageName.value, !package.isEmpty else {
            return .skipped("package_name is missing or empty", target.packageName.member?.value ?? target.node)
        }
        guard let items = target.fingerprints.value, !items.isEmpty else {
            return .skipped("the fingerprints are missing or empty", target.fingerprints.member?.value ?? target.node)
        }
        return .grant(
            package: package, relations: relation.compactMap(\.string), fingerprints: items.compactMap(\.string))
    }

    /// Numbers become text in its decoder.
    private static func isText(_ node: JSONNode) -> Bool {
        switch node.value {
        case .string, .number: true
        default: false
        }
    }

    private static func isNull(_ node: JSONNode) -> Bool { if case .null = node.value { true } else { false } }
}
