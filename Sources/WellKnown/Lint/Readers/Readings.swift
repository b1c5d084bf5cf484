import SSOShared

/// The result of one reader for one element of the list.
enum ReaderDecision {
    /// Apps that get permissions.
    case grant(package: String, relations: [String], fingerprints: [String])
    /// The element is valid and does not name an app.
    case nothing
    /// The element is skipped. The reader uses the other elements.
    case skipped(String, JSONNode)
    /// The whole list is rejected.
    case void(String, JSONNode, isSure: Bool)
}

extension AssetLinksReader {
    func read(_ statement: AssetStatement) -> ReaderDecision {
        switch self {
        case .google: GoogleReading.read(statement)
        case .android11, .android12: AndroidReading.read(statement)
        case .chrome: ChromeReading.read(statement)
        case .firefox: FirefoxReading.read(statement)
        case .duckDuckGo: DuckDuckGoReading.read(statement)
        }
    }
}

/// Google's service checks every statement strictly and independently.
enum GoogleReading {
    static func read(_ statement: AssetStatement) -> ReaderDecision {
        let node = statement.node
        guard statement.isObject else { return .skipped("the element is \(node.typeName)", node) }
        guard statement.include.isAbsent else {
            return statement.relation.isAbsent && statement.target.isAbsent
                ? .nothing : .skipped("include is together with a relation or target", node)
        }
        guard let relation = statement.relation.value, !relation.isEmpty else {
            return .skipped("relation is missing or no array of strings", statement.relation.member?.value ?? node)
        }
        for item in relation where item.string.map({ AssetRelation.fault(in: $0) == nil }) != true {
            return .skipped("a relation is not kind/detail", item)
        }
        guard let target = statement.target.value else {
            return .skipped("target is missing or no object", statement.target.member?.value ?? node)
        }
        guard let namespace = target.namespace.value, namespace == "web" || namespace == "android_app" else {
            return .skipped("the namespace is not known", target.namespace.member?.value ?? target.node)
        }
        guard namespace == "android_app" else { return .nothing }
        guard let package = target.packageName.value, LinkedAsset.isPackageName(package) else {
            return .skipped("package_name is missing or no name", target.packageName.member?.value ?? target.node)
        }
        guard let items = target.fingerprints.value, !items.isEmpty else {
            return .skipped("the fingerprints are missing or empty", target.fingerprints.member?.value ?? target.node)
        }
        for item in items where item.string.map(LinkedAsset.isFingerprint) != true {
            return .skipped("a fingerprint is not 32 upper-case hex pairs joined by colons", item)
        }
        return .grant(
            package: package, relations: relation.compactMap(\.string), fingerprints: items.compactMap(\.string))
    }
}

/// Android's verifier parses JSON strictly. It skips statements with a wrong meaning and throws for values of a wrong
/// type.
enum AndroidReading {
    static func read(_ statement: AssetStatement) -> ReaderDecision {
        let node = statement.node
        guard statement.isObject else {
            return .void("an element is \(node.typeName), not an object", node, isSure: false)
        }
        guard statement.include.isAbsent else { return .nothing }
        switch statement.relation {
        case .absent: return .skipped("relation is missing", node)
        case .wrongType(let member):
            return .void("relation is \(member.value.typeName), not an array", member.value, isSure: false)
        case .present(let items, _):
            for item in items where item.string == nil {
                return .void("a relation is \(item.typeName), not a string", item, isSure: false)
            }
            for item in items where item.string.map({ AssetRelation.fault(in: $0) == nil }) != true {
                return .skipped("a relation is not kind/detail", item)
            }
        }
        switch statement.target {
        case .absent: return .skipped("target is missing", node)
        case .wrongType(let member):
            return .void("target is \(member.value.typeName), not an object", member.value, isSure: false)
        case .present(let target, _): return read(target, relations: statement.relations)
        }
    }

    private static func read(_ target: AssetTarget, relations: [String]) -> ReaderDecision {
        guard target.namespace.value == "android_app" else {
            return target.namespace.value == "web"
                ? .nothing : .skipped("the namespace is not known", target.namespace.member?.value ?? target.node)
        }
        guard let package = target.packageName.value, !package.isEmpty else {
            return .skipped("package_name is missing or empty", target.packageName.member?.value ?? target.node)
        }
        switch target.fingerprints {
        case .absent: return .skipped("the fingerprints are missing", target.node)
        case .wrongType(let member):
            return .void(
                "sha256_cert_fingerprints is \(member.value.typeName), not an array", member.value, isSure: false)
        case .present(let items, let member):
            for item in items where item.string == nil {
                return .void("a fingerprint is \(item.typeName), not a string", item, isSure: false)
            }
            guard !items.isEmpty else { return .skipped("the list of fingerprints is empty", member.value) }
            return .grant(package: package, relations: relations, fingerprints: items.compactMap(\.string))
        }
    }
}

/// Chrome uses the members that fit and ignores everything else, including the namespace.
enum ChromeReading {
    static func read(_ statement: AssetStatement) -> ReaderDecision {
        let node = statement.node
        guard statement.isObject else { return .skipped("the element is \(node.typeName)", node) }
        guard let relation = statement.relation.value else {
            return .skipped("relation is missing or no array", statement.relation.member?.value ?? node)
        }
        guard let target = statement.target.value else {
            return .skipped("target is missing or no object", statement.target.member?.value ?? node)
        }
        guard let package = target.packageName.value else {
            return target.site.isAbsent ? .skipped("package_name is missing or no string", target.node) : .nothing
        }
        guard let items = target.fingerprints.value else {
            return .skipped("the fingerprints are missing or no array", target.node)
        }
        return .grant(
            package: package, relations: relation.compactMap(\.string), fingerprints: items.compactMap(\.string))
    }
}

/// Firefox uses Android's org.json, which converts numbers and similar values to text and rejects the list if a member
/// is missing. It reads a target only for relations that it knows.
enum FirefoxReading {
    static func read(_ statement: AssetStatement) -> ReaderDecision {
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

/// DuckDuckGo decodes the whole list at once. One element without a relation or a target, for example an include, makes
/// the decoding fail.
enum DuckDuckGoReading {
    static func read(_ statement: AssetStatement) -> ReaderDecision {
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
        return content(of: target, relation, namespace)
    }

    /// What a statement grants that the decoder accepts.
    private static func content(
        of target: AssetTarget, _ relation: [JSONNode], _ namespace: JSONNode
    ) -> ReaderDecision {
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

    /// Whether the decoder accepts the value as text. It converts numbers.
    private static func isText(_ node: JSONNode) -> Bool {
        switch node.value {
        case .string, .number: true
        default: false
        }
    }

    private static func isNull(_ node: JSONNode) -> Bool { if case .null = node.value { true } else { false } }
}
