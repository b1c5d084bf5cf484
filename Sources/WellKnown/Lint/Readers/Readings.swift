import SSOShared

/// The result of one reader for one element of the list. A reader throws it where a fault ends its reading.
enum ReaderDecision: Error {
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
        do throws(ReaderDecision) {
            return switch self {
            case .google: try GoogleReading.read(statement)
            case .android11, .android12: try AndroidReading(isOld: self == .android11).read(statement)
            case .chrome: try ChromeReading.read(statement)
            case .firefox: try FirefoxReading.read(statement)
            case .duckDuckGo: try DuckDuckGoReading.read(statement)
            }
        } catch {
            return error
        }
    }
}

private func skipped(_ reason: String, _ node: JSONNode) -> ReaderDecision { .skipped(reason, node) }
private func dropped(_ reason: String, _ node: JSONNode) -> ReaderDecision { .void(reason, node, isSure: true) }

extension JSONField {
    /// The value, unless it is absent, of another type or not fine.
    ///
    /// - Parameters:
    ///   - node: the object that needs the member.
    ///   - stop: what the reader does without it.
    fileprivate func needed(
        in node: JSONNode, _ stop: (String, JSONNode) -> ReaderDecision, _ reason: String,
        where isFine: (Value) -> Bool = { _ in true }
    ) throws(ReaderDecision) -> Value {
        guard let value, isFine(value) else { throw stop(reason, member?.value ?? node) }
        return value
    }
}

extension [JSONNode] {
    /// The texts of a list whose elements are all fine.
    fileprivate func texts(
        _ stop: (String, JSONNode) -> ReaderDecision, _ reason: String, where isFine: (JSONNode) -> Bool
    ) throws(ReaderDecision) -> [String] {
        if let bad = first(where: { !isFine($0) }) { throw stop(reason, bad) }
        return compactMap(\.string)
    }
}

extension JSONNode {
    fileprivate var isRelation: Bool { string.map { AssetRelation.fault(in: $0) == nil } ?? false }
    fileprivate var isNull: Bool { if case .null = value { true } else { false } }
}

/// Google's service checks every statement strictly and independently.
enum GoogleReading {
    static func read(_ statement: AssetStatement) throws(ReaderDecision) -> ReaderDecision {
        let node = statement.node
        guard statement.isObject else { throw .skipped("the element is \(node.typeName)", node) }
        guard statement.include.isAbsent else {
            return statement.relation.isAbsent && statement.target.isAbsent
                ? .nothing : .skipped("include is together with a relation or target", node)
        }
        let relations = try statement.relation.needed(
            in: node, skipped, "relation is missing or no array of strings", where: { !$0.isEmpty }
        ).texts(skipped, "a relation is not kind/detail", where: \.isRelation)
        let target = try statement.target.needed(in: node, skipped, "target is missing or no object")
        let namespace = try target.namespace.needed(in: target.node, skipped, "the namespace is not known") {
            $0 == "web" || $0 == "android_app"
        }
        guard namespace == "android_app" else { return .nothing }
        let package = try target.packageName.needed(
            in: target.node, skipped, "package_name is missing or no name", where: LinkedAsset.isPackageName)
        let fingerprints = try target.fingerprints.needed(
            in: target.node, skipped, "the fingerprints are missing or empty", where: { !$0.isEmpty }
        ).texts(skipped, "a fingerprint is not 32 upper-case hex pairs joined by colons") {
            $0.string.map(LinkedAsset.isFingerprint) ?? false
        }
        return .grant(package: package, relations: relations, fingerprints: fingerprints)
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

    func read(_ statement: AssetStatement) throws(ReaderDecision) -> ReaderDecision {
        let node = statement.node
        guard statement.isObject else {
            throw .void("an element is \(node.typeName), not an object", node, isSure: false)
        }
        if let fault = Self.refused(node, isOld: isOld) { throw dropped(fault.reason, fault.node) }
        if let include = statement.include.member, include.value.string != "" { return .nothing }
        let items = try statement.relation.needed(in: node, skipped, "relation is missing or no array")
        let target = try statement.target.needed(in: node, skipped, "target is missing or no object")
        let relations = try items.texts(unsure, "a relation is not kind/detail", where: \.isRelation)
        if target.namespace.value == "web" {
            _ = try target.site.needed(in: target.node, unsure, "site is missing or no address") {
                (try? SiteAddress($0)) != nil
            }
            return .nothing
        }
        _ = try target.namespace.needed(in: target.node, thrown, "the namespace is not known") { $0 == "android_app" }
        let package = try target.packageName.needed(
            in: target.node, thrown, "package_name is missing or empty", where: { !$0.isEmpty })
        let fingerprints = try target.fingerprints.needed(
            in: target.node, thrown, "the fingerprints are missing or empty", where: { !$0.isEmpty })
        return .grant(package: package, relations: relations, fingerprints: fingerprints.compactMap(\.string))
    }

    /// What a class throws: the statement is skipped, or the list is void.
    private func thrown(_ reason: String, _ node: JSONNode) -> ReaderDecision {
        isOld ? .skipped(reason, node) : .void(reason, node, isSure: true)
    }

    private func unsure(_ reason: String, _ node: JSONNode) -> ReaderDecision {
        isOld ? .skipped(reason, node) : .void(reason, node, isSure: false)
    }

    /// The first value for which the parser throws, whatever its key.
    private static func refused(_ node: JSONNode, isOld: Bool) -> (reason: String, node: JSONNode)? {
        for member in node.object ?? [] {
            switch member.value.value {
            case .string: break
            case .bool where !isOld: break
            case .object: if let fault = refused(member.value, isOld: isOld) { return fault }
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
    static func read(_ statement: AssetStatement) throws(ReaderDecision) -> ReaderDecision {
        let node = statement.node
        guard statement.isObject else { throw .skipped("the element is \(node.typeName)", node) }
        let relation = try statement.relation.needed(in: node, skipped, "relation is missing or no array")
        let target = try statement.target.needed(in: node, skipped, "target is missing or no object")
        guard let package = target.packageName.value else {
            return target.site.isAbsent ? .skipped("package_name is missing or no string", target.node) : .nothing
        }
        guard let items = target.fingerprints.value else {
            throw .skipped("the fingerprints are missing or no array", target.node)
        }
        return .grant(
            package: package, relations: relation.compactMap(\.string), fingerprints: items.compactMap(\.string))
    }
}

/// Firefox uses Android's org.json, which converts numbers and similar values to text and rejects the list if a member
/// is missing. It reads a target only for relations that it knows.
enum FirefoxReading {
    static func read(_ statement: AssetStatement) throws(ReaderDecision) -> ReaderDecision {
        let node = statement.node
        guard statement.isObject else { throw dropped("an element is \(node.typeName), not an object", node) }
        if let include = statement.include.member, include.value.string != "" { return .nothing }
        let relation = try statement.relation.needed(in: node, dropped, "relation is missing or no array")
        let known = [RelationNames.handleAllURLs, RelationNames.useAsOrigin]
        let relations = try relation.texts(dropped, "a relation is null") { !$0.isNull }.filter(known.contains)
        guard !relations.isEmpty else { return .nothing }
        let target = try statement.target.needed(in: node, dropped, "target is missing or no object")
        func need(_ member: JSONMember?, _ name: String) throws(ReaderDecision) {
            if member?.value.isNull ?? true { throw dropped("\(name) is missing", target.node) }
        }
        try need(target.namespace.member, "namespace")
        switch target.namespace.value {
        case "web":
            try need(target.site.member, "site")
            return .nothing
        case "android_app":
            try need(target.packageName.member, "package_name")
            let fingerprints = try target.fingerprints.needed(
                in: target.node, dropped, "the fingerprints are missing or no array"
            ).texts(dropped, "a fingerprint is null") { !$0.isNull }
            guard let package = target.packageName.value else { return .nothing }
            return .grant(package: package, relations: relations, fingerprints: fingerprints)
        default: throw .skipped("the namespace is not known", target.namespace.member?.value ?? target.node)
        }
    }
}

/// DuckDuckGo decodes the whole list at once. One element without a relation or a target makes the decoding fail.
enum DuckDuckGoReading {
    static func read(_ statement: AssetStatement) throws(ReaderDecision) -> ReaderDecision {
        let node = statement.node
        guard statement.isObject else { throw dropped("an element is \(node.typeName), not an object", node) }
        let relation = try statement.relation.needed(
            in: node, dropped,
            statement.include.isAbsent ? "relation is missing or no array" : "an include has no relation")
        for item in relation { try expect(isText(item), "a relation", "a string", item) }
        let target = try statement.target.needed(in: node, dropped, "target is missing or no object")
        guard let namespace = target.namespace.member?.value, isText(namespace) else {
            throw dropped("namespace is missing or no string", target.namespace.member?.value ?? target.node)
        }
        if case .wrongType(let member) = target.packageName {
            try expect(isText(member.value) || member.value.isNull, "package_name", "a string", member.value)
        }
        if case .wrongType(let member) = target.fingerprints {
            try expect(member.value.isNull, "sha256_cert_fingerprints", "an array", member.value)
        }
        for item in target.fingerprints.value ?? [] { try expect(isText(item), "a fingerprint", "a string", item) }
        guard namespace.string == "android_app" else {
            return namespace.string == "web" ? .nothing : .skipped("the namespace is not known", namespace)
        }
        let package = try target.packageName.needed(
            in: target.node, skipped, "package_name is missing or empty", where: { !$0.isEmpty })
        let items = try target.fingerprints.needed(
            in: target.node, skipped, "the fingerprints are missing or empty", where: { !$0.isEmpty })
        return .grant(
            package: package, relations: relation.compactMap(\.string), fingerprints: items.compactMap(\.string))
    }

    private static func expect(
        _ isFine: Bool, _ name: String, _ right: String, _ node: JSONNode
    ) throws(ReaderDecision) {
        if !isFine { throw dropped("\(name) is \(node.typeName), not \(right)", node) }
    }

    /// Whether the decoder accepts the value as text. It converts numbers.
    private static func isText(_ node: JSONNode) -> Bool {
        if case .number = node.value { true } else { node.string != nil }
    }
}
