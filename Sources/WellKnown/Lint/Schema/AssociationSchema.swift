/// JSON schemas of both files (draft 2020-12), for editors.
///
/// A schema refuses what the linter reports as an error of structure, and accepts every file without an error. Each
/// description ends with the finding that a wrong value causes.
public enum AssociationSchema {
    /// The schema as JSON in UTF-8.
    public static func text(of kind: AssociationKind) -> [UInt8] {
        let head: AssociationJSON = [
            "$schema": "https://json-schema.org/draft/2020-12/schema", "title": .string(kind.fileName),
        ]
        return AssociationJSON.joined(head, kind == .aasa ? AppleSchema.root : AssetLinksSchema.root).bytes
    }
}

extension AssociationJSON {
    /// A schema with what a value is for, and the finding that a wrong value causes.
    static func schema(
        _ type: String? = nil, _ words: String? = nil, _ rule: LintRule? = nil, _ members: AssociationJSON = [:]
    ) -> AssociationJSON {
        let finding = rule.map { "\($0.code): \($0.title). \($0.reason) \($0.fix)" }
        let description = [words, finding].compactMap { $0 }.joined(separator: " ")
        return .joined(
            type.map { ["type": .string($0)] } ?? [:],
            description.isEmpty ? [:] : ["description": .string(description)], members)
    }

    /// Members that must not be there.
    static func none(_ names: [String]) -> AssociationJSON { .object(names.map { ($0, false) }) }

    static func list(of item: AssociationJSON, isFilled: Bool = false) -> AssociationJSON {
        isFilled ? ["items": item, "minItems": 1] : ["items": item]
    }
}
