/// JSON schemas of both files (draft 2020-12), for editors.
///
/// A schema refuses what the linter reports as an error of structure, and accepts every file without an error. Each
/// description ends with the finding that a wrong value causes.
public enum AssociationSchema {
    /// The schema as JSON in UTF-8.
    public static func text(of kind: AssociationKind) -> [UInt8] {
        let schema = kind == .aasa ? AppleSchema.root : AssetLinksSchema.root
        let head: [(String, AssociationJSON)] = [
            ("$schema", .string("https://json-schema.org/draft/2020-12/schema")), ("title", .string(kind.fileName)),
        ]
        return AssociationJSON.object(head + schema).bytes
    }
}

/// The members of a schema.
typealias SchemaMembers = [(String, AssociationJSON)]

extension AssociationJSON {
    /// A schema with what a value is for, and the finding that a wrong value causes.
    static func schema(
        _ type: String? = nil, _ words: String? = nil, _ rule: LintRule? = nil, _ members: SchemaMembers = []
    ) -> AssociationJSON {
        .object(schemaMembers(type, words, rule, members))
    }

    static func schemaMembers(
        _ type: String? = nil, _ words: String? = nil, _ rule: LintRule? = nil, _ members: SchemaMembers = []
    ) -> SchemaMembers {
        let finding = rule.map { "\($0.code): \($0.title). \($0.reason) \($0.fix)" }
        let description = [words, finding].compactMap { $0 }.joined(separator: " ")
        var all: SchemaMembers = type.map { [("type", .string($0))] } ?? []
        if !description.isEmpty { all.append(("description", .string(description))) }
        return all + members
    }

    static func pattern(_ text: String) -> SchemaMembers { [("pattern", .string(text))] }

    static func required(_ names: String...) -> (String, AssociationJSON) {
        ("required", .array(names.map { .string($0) }))
    }

    static func properties(_ members: SchemaMembers) -> (String, AssociationJSON) { ("properties", .object(members)) }

    /// Members that must not be there.
    static func none(_ names: [String]) -> SchemaMembers { names.map { ($0, .bool(false)) } }

    static func items(_ item: AssociationJSON, isFilled: Bool = false) -> SchemaMembers {
        [("items", item)] + (isFilled ? [("minItems", .literal("1"))] : [])
    }

    static let noOthers: (String, AssociationJSON) = ("additionalProperties", .bool(false))
}
