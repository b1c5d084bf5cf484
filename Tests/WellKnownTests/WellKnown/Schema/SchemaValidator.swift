import SSOShared

@testable import WellKnown

/// A validator for the keywords of JSON Schema (draft 2020-12) that the schemas of both files use.
struct SchemaValidator {
    let root: JSONNode

    static let annotations: Set<String> = ["$schema", "title", "description"]

    /// The errors of a value, each with its pointer. An unknown keyword is an error, too.
    func errors(in value: JSONNode) -> [String] { errors(value, root, "") }

    private func errors(_ value: JSONNode, _ schema: JSONNode, _ path: String) -> [String] {
        if let flag = schema.bool { return flag ? [] : ["\(path): is not allowed"] }
        guard let keywords = schema.object else { return ["\(path): no schema"] }
        return keywords.flatMap { keyword in
            check(keyword.key, keyword.value, value, schema, path).map { "\(path): \(keyword.key): \($0)" }
        }
    }

    private func fits(_ value: JSONNode, _ schema: JSONNode) -> Bool { errors(value, schema, "").isEmpty }

    private func check(
        _ keyword: String, _ rule: JSONNode, _ value: JSONNode, _ schema: JSONNode, _ path: String
    ) -> [String] {
        let subschemas = rule.array ?? []
        switch keyword {
        case let name where Self.annotations.contains(name): return []
        case "type": return value.typeName.hasSuffix(rule.string ?? "?") ? [] : [value.typeName]
        case "enum": return subschemas.contains(value) ? [] : ["no such value"]
        case "const": return value == rule ? [] : ["another value"]
        case "allOf": return subschemas.flatMap { errors(value, $0, path) }
        case "anyOf": return subschemas.contains { fits(value, $0) } ? [] : ["none fits"]
        case "if":
            guard let branch = schema[fits(value, rule) ? "then" : "else"] else { return [] }
            return errors(value, branch, path)
        case "then", "else": return []
        default: return parts(keyword, rule, value, schema, path)
        }
    }

    private func parts(
        _ keyword: String, _ rule: JSONNode, _ value: JSONNode, _ schema: JSONNode, _ path: String
    ) -> [String] {
        let members = value.object ?? []
        switch keyword {
        case "required":
            guard value.object != nil else { return [] }
            return (rule.array ?? []).compactMap { name in name.string.flatMap { value[$0] == nil ? "no \($0)" : nil } }
        case "minProperties": return value.object.map { $0.count >= rule.integer ?? 0 } ?? true ? [] : ["too few"]
        case "minItems": return value.array.map { $0.count >= rule.integer ?? 0 } ?? true ? [] : ["too few"]
        case "minLength": return value.string.map { $0.count >= rule.integer ?? 0 } ?? true ? [] : ["too short"]
        case "pattern": return value.string.map { matches($0, rule.string) } ?? true ? [] : ["no match"]
        case "items":
            return (value.array ?? []).enumerated().flatMap { errors($0.element, rule, "\(path)/\($0.offset)") }
        case "propertyNames": return members.flatMap { errors(JSONNode(.string($0.key)), rule, path) }
        case "properties":
            return members.flatMap { member in
                rule[member.key].map { errors(member.value, $0, "\(path)/\(member.key)") } ?? []
            }
        case "patternProperties":
            return members.flatMap { member in
                (rule.object ?? []).filter { matches(member.key, $0.key) }
                    .flatMap { errors(member.value, $0.value, "\(path)/\(member.key)") }
            }
        case "additionalProperties":
            let others = members.filter { member in
                schema["properties"]?[member.key] == nil
                    && schema["patternProperties"]?.object?.contains { matches(member.key, $0.key) } != true
            }
            return others.flatMap { errors($0.value, rule, "\(path)/\($0.key)") }
        default: return ["the keyword \(keyword) is not known"]
        }
    }

    private func matches(_ text: String, _ pattern: String?) -> Bool {
        pattern.flatMap { try? Regex($0) }.map { text.firstMatch(of: $0) != nil } ?? false
    }
}
