import Foundation
import Yams

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit

/// docs/openapi.yaml, and the part of JSON Schema that it uses.
struct OpenAPIDocument: Sendable {
    let root: JSONValue

    init() throws {
        let path = TestVectors.repository.appending(path: "docs/openapi.yaml").path
        root = Self.value(try Yams.load(yaml: String(contentsOfFile: path, encoding: .utf8)))
    }

    /// The methods of each path, in capitals.
    var operations: [String: Set<String>] {
        members(root["paths"]).mapValues { Set(members($0).keys.map { $0.uppercased() }) }
    }

    /// The statuses that an operation may answer.
    func statuses(_ method: String, _ path: String) -> Set<String> {
        Set(members(operation(method, path)?["responses"]).keys)
    }

    /// The examples of a request's body.
    func example(_ method: String, _ path: String) -> JSONValue? {
        operation(method, path)?["requestBody"]?["content"]?["application/json"]?["example"]
    }

    /// What is wrong with an answer; empty for one that the document describes.
    func problems(_ reply: ProbeReply, _ method: String, _ path: String) throws -> [String] {
        guard let response = operation(method, path)?["responses"]?["\(reply.status)"].map(resolved) else {
            return ["\(method) \(path): \(reply.status) is not described"]
        }
        guard let content = response["content"] else {
            return reply.body.isEmpty ? [] : ["\(method) \(path): \(reply.status) has a body"]
        }
        guard reply.header("content-type") == "application/json" else { return ["\(method) \(path): not JSON"] }
        return problems(try reply.json(), content["application/json"]?["schema"], at: "\(method) \(path)")
    }

    /// Every example of an answer, with what is wrong with it.
    func problemsOfExamples() -> [String] {
        let operations = members(root["paths"]).flatMap { path, item in
            members(item).flatMap { method, operation in
                let answers = members(operation["responses"]).map { ("\(method) \(path) \($0)", resolved($1)) }
                return answers + [("\(method) \(path)", operation["requestBody"] ?? .null)]
            }
        }
        return operations.flatMap { name, content -> [String] in
            guard let json = content["content"]?["application/json"] else { return [] }
            guard let example = json["example"] else { return ["\(name): no example"] }
            return problems(example, json["schema"], at: name)
        }
    }

    private func operation(_ method: String, _ path: String) -> JSONValue? {
        root["paths"]?[path]?[method.lowercased()]
    }

    private func problems(_ value: JSONValue, _ schema: JSONValue?, at place: String) -> [String] {
        guard let schema = schema.map(resolved) else { return ["\(place): no schema"] }
        var found: [String] = []
        if let constant = schema["const"], constant != value { found.append("\(place) is not \(constant)") }
        if let values = schema["enum"]?.items, !values.contains(value) {
            found.append("\(place) is not one of \(values)")
        }
        if let type = schema["type"]?.text, !Self.has(value, type) {
            return found + ["\(place) is not of type \(type)"]
        }
        if let pattern = schema["pattern"]?.text, let text = value.text,
            text.range(of: pattern, options: .regularExpression) == nil
        {
            found.append("\(place) does not match \(pattern)")
        }
        if let least = schema["minLength"]?.number, Double(value.text?.unicodeScalars.count ?? 0) < least {
            found.append("\(place) is too short")
        }
        if let least = schema["minimum"]?.number, let number = value.number, number < least {
            found.append("\(place) is too small")
        }
        if let most = schema["maximum"]?.number, let number = value.number, number > most {
            found.append("\(place) is too large")
        }
        if let least = schema["minItems"]?.number, Double(value.items.count) < least {
            found.append("\(place) has too few items")
        }
        if let items = schema["items"] {
            for (index, item) in value.items.enumerated() { found += problems(item, items, at: "\(place)[\(index)]") }
        }
        for name in schema["required"]?.items.compactMap(\.text) ?? [] where value[name] == nil {
            found.append("\(place).\(name) is missing")
        }
        let properties = members(schema["properties"])
        for (name, member) in members(value) {
            guard let described = properties[name] else {
                found.append("\(place).\(name) is not described")
                continue
            }
            found += problems(member, described, at: "\(place).\(name)")
        }
        return found
    }

    /// What a `$ref` within the document points to.
    private func resolved(_ value: JSONValue) -> JSONValue {
        guard let path = value["$ref"]?.text else { return value }
        return path.split(separator: "/").dropFirst().reduce(root) { $0[String($1)] ?? .null }
    }

    private func members(_ value: JSONValue?) -> [String: JSONValue] {
        if case .object(let members) = value { members } else { [:] }
    }

    private static func has(_ value: JSONValue, _ type: String) -> Bool {
        switch (value, type) {
        case (.string, "string"), (.bool, "boolean"), (.array, "array"), (.object, "object"), (.null, "null"): true
        case (.number(let number), "integer"): number == number.rounded()
        default: false
        }
    }

    private static func value(_ any: Any?) -> JSONValue {
        switch any {
        case let text as String: .string(text)
        case let flag as Bool: .bool(flag)
        case let number as Int: .number(Double(number))
        case let number as Double: .number(number)
        case let items as [Any]: .array(items.map(value))
        case let members as [String: Any]: .object(members.mapValues(value))
        case let members as [AnyHashable: Any]:
            .object(Dictionary(members.map { ("\($0)", value($1)) }) { $1 })
        default: .null
        }
    }
}
