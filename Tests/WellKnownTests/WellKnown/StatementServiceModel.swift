/// A second model of Android's StatementService, which shares no code with the reader that is compared with it.
///
/// It follows the programs step by step: JsonParser turns the text into objects and throws for other types of value, the
/// factories throw for a target that they cannot use, and the parser of the list catches what the factories throw
/// (Android 11), or nothing (Android 12). Source: AOSP, packages/services StatementService.
struct StatementServiceModel {
    indirect enum Value {
        case text(String), number(Int), bool(Bool), null
        case list([Value])
        case object([(name: String, value: Value)])

        var json: String {
            switch self {
            case .text(let text): "\"\(text)\""
            case .number(let number): "\(number)"
            case .bool(let flag): "\(flag)"
            case .null: "null"
            case .list(let items): "[" + items.map(\.json).joined(separator: ",") + "]"
            case .object(let members):
                "{" + members.map { "\"\($0.name)\":\($0.value.json)" }.joined(separator: ",") + "}"
            }
        }
    }

    enum Answer: String { case works, refused, void }

    /// The parser gave up, or a factory refused what it got.
    private enum Thrown: Error { case parser, factory }

    let isOld: Bool

    func answer(_ list: [Value], package: String, fingerprint: String, relation: String) -> Answer {
        var isLinked = false
        for element in list {
            do {
                let statement = try parsed(element)
                if try grants(statement, package, fingerprint, relation) { isLinked = true }
            } catch Thrown.factory where isOld {
                continue
            } catch {
                return .void
            }
        }
        return isLinked ? .works : .refused
    }

    // MARK: JsonParser

    private func parsed(_ value: Value) throws -> [String: Value] {
        guard case .object(let members) = value else { throw Thrown.parser }
        var object: [String: Value] = [:]
        for (name, value) in members {
            if isOld, object[name] != nil { throw Thrown.parser }
            object[name] = try token(value)
        }
        return object
    }

    private func token(_ value: Value) throws -> Value {
        switch value {
        case .text: return value
        case .object:
            return .object(try parsed(value).map { (name: $0.key, value: $0.value) })
        case .list(let items):
            return .list(
                try items.map { item in
                    switch item {
                    case .text: return item
                    case .number(let number): return .text("\(number)")
                    case .object where !isOld: return .object(try parsed(item).map { (name: $0.key, value: $0.value) })
                    default: throw Thrown.parser
                    }
                })
        case .bool where !isOld: return value
        default: throw Thrown.parser
        }
    }

    // MARK: StatementParser and the factories

    private func grants(
        _ statement: [String: Value], _ package: String, _ fingerprint: String, _ relation: String
    ) throws -> Bool {
        if let include = statement["include"] {
            if case .text("") = include {} else { return false }
        }
        guard case .list(let relations)? = statement["relation"], case .object(let members)? = statement["target"]
        else {
            return false
        }
        let target = Dictionary(members.map { ($0.name, $0.value) }) { $1 }
        let isNamed = try asset(target, package, fingerprint)
        return isNamed && relations.contains { if case .text(relation) = $0 { true } else { false } }
    }

    private func asset(_ target: [String: Value], _ package: String, _ fingerprint: String) throws -> Bool {
        switch target["namespace"] {
        case .text("web")?:
            guard case .text(let site)? = target["site"], site.hasPrefix("http") else { throw Thrown.factory }
            return false
        case .text("android_app")?:
            guard case .text(let name)? = target["package_name"], !name.isEmpty,
                case .list(let keys)? = target["sha256_cert_fingerprints"], !keys.isEmpty
            else { throw Thrown.factory }
            return name == package && keys.contains { if case .text(fingerprint) = $0 { true } else { false } }
        default: throw Thrown.factory
        }
    }
}
