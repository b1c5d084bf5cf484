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
        case .android11, .android12: AndroidReading(isOld: self == .android11).read(statement)
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

/// Android's verifier. Its JSON parser takes few types of value, and its classes throw for a target that they cannot use.
/// Android 11 and older catches what the classes throw and skips the statement. Android 12 and later catches nothing
/// there, and the whole list counts for nothing.
///
/// Source: AOSP, packages/services StatementService: JsonParser.java, AssetFactory.java, AndroidAppAsset.java,
/// StatementParser.java (Android 11), StatementParser.kt (Android 12).
struct AndroidReading {
    let isOld: Bool

    func read(_ statement: AssetStatement) -> ReaderDecision {
        let node = statement.node
        guard statement.isObject else {
            return .void("an element is \(node.typeName), not an object", node, isSure: false)
        }
        if let fault = Self.refused(node, isOld: isOld) { return .void(fault.reason, fault.node, isSure: true) }
        if let include = statement.include.member, include.value.string != "" { return .nothing }
        guard let items = statement.relation.value else {
            return .skipped("relation is missing or no array", statement.relation.member?.value ?? node)
        }
        guard let target = statement.target.value else {
            return .skipped("target is missing or no object", statement.target.member?.value ?? node)
        }
        for item in items where item.string.map({ AssetRelation.fault(in: $0) == nil }) != true {
            return thrown("a relation is not kind/detail", item, isSure: false)
        }
        return read(target, relations: items.compactMap(\.string))
    }

    private func read(_ target: AssetTarget, relations: [String]) -> ReaderDecision {
        if target.namespace.value == "web" {
            guard let site = target.site.value, (try? SiteAddress(site)) != nil else {
                return thrown("site is missing or no address", target.site.member?.value ?? target.node, isSure: false)
            }
            return .nothing
        }
        guard target.namespace.value == "android_app" else {
            return thrown("the namespace is not known", target.namespace.member?.value ?? target.node)
        }
        guard let package = target.packageName.value, !package.isEmpty else {
            return thrown("package_name is missing or empty", target.packageName.member?.value ?? target.node)
        }
        guard let items = target.fingerprints.value, !items.isEmpty else {
            return thrown("the fingerprints are missing or empty", target.fingerprints.member?.value ?? target.node)
        }
        return .grant(package: package, relations: relations, fingerprints: items.compactMap(\.string))
    }

    /// What a class throws: the statement is skipped, or the list is void.
    private func thrown(_ reason: String, _ node: JSONNode, isSure: Bool = true) -> ReaderDecision {
        isOld ? .skipped(reason, node) : .void(reason, node, isSure: isSure)
    }

    /// The first value for which the parser throws, whatever its key.
    private static func refused(_ node: JSONNode, isOld: Bool) -> (reason: String, node: JSONNode)? {
        for member in node.object ?? [] {
            switch member.value.value {
            case .string: break
            case .bool where !isOld: break
            case .object:
                if let fault = refused(member.value, isOld: isOld) { return fault }
            case .array(let items):
                for item in items {
                    // The parser asks for a text, and takes a number for one.
                    if case .number = item.value { continue }
                    if item.string != nil { continue }
                    guard item.object != nil, !isOld else {
                        return ("\(member.key.quoted) holds \(item.typeName)", item)
                    }
                    if let fault = refused(item, isOld: isOld) { return fault }
                }
            default: return ("\(member.key.quoted) is \(member.value.typeName)", member.value)
            }
        }
        guard isOld else { return nil }
        var names: Set<String> = []
        for member in node.object ?? [] where !names.insert(member.key).inserted {
            return ("the key \(member.key.quoted) appears twice", member.value)
        }
        return nil
    }

    /// What the parser of Android 12 to 14 may refuse. It is not known which release got the newer form.
    static func doubt(_ statement: AssetStatement) -> String? {
        guard statement.isObject, refused(statement.node, isOld: false) == nil,
            let fault = refused(statement.node, isOld: true)
        else { return nil }
        return "Android 12 to 14 may drop the list: \(fault.reason)"
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
