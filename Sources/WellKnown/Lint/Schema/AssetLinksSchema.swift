private typealias JSON = AssociationJSON

enum AssetLinksSchema {
    private static let rules = StatementRules.self
    private static let dynamic = DynamicRules.self
    private static let componentsKey = RelationExtension.componentsKey

    static let root: AssociationJSON = .schema(
        "array", "Statements about apps and sites.", rules.emptyList, .list(of: statement, isFilled: true))

    private static let relation = JSON.schema(
        "string", nil, rules.relationSyntax, ["pattern": "^[a-z0-9_.]+/[a-z0-9_.]+$"])

    private static let statement = JSON.schema(
        "object", nil, rules.statementType,
        [
            "properties": .joined(
                [
                    "relation": .schema(
                        "array", "What the target may do: " + RelationNames.known.joined(separator: ", ") + ".",
                        rules.relationType, .list(of: relation, isFilled: true)), "target": target,
                    "include": .schema(
                        "string", "The address of another list.", rules.includeSyntax,
                        ["pattern": "^[Hh][Tt][Tt][Pp][Ss]://"]), "relation_extensions": extensions,
                ], .none([componentsKey])), "if": ["required": ["include"]],
            "then": ["properties": .none(["relation", "target", "relation_extensions"])],
            "else": ["required": ["relation", "target"]],
        ])

    private static let target: JSON = {
        func of(_ namespace: String, _ needed: JSON, without: [String]) -> JSON {
            [
                "if": ["properties": ["namespace": ["const": .string(namespace)]]],
                "then": ["required": needed, "properties": .none(without)],
            ]
        }
        return .schema(
            "object", nil, rules.targetType,
            [
                "required": ["namespace"],
                "properties": .joined(
                    [
                        "namespace": .schema(nil, nil, rules.namespace, ["enum": ["android_app", "web", "ios_app"]]),
                        "site": .schema("string", nil, rules.siteSyntax),
                        "package_name": .schema(
                            "string", nil, rules.packageSyntax,
                            ["pattern": "^[A-Za-z][A-Za-z0-9_]*(\\.[A-Za-z][A-Za-z0-9_]*)+$"]),
                        "sha256_cert_fingerprints": fingerprints,
                    ], .none(["relation_extensions", componentsKey])),
                "allOf": [
                    of("android_app", ["package_name", "sha256_cert_fingerprints"], without: ["site"]),
                    of("web", ["site"], without: ["package_name", "sha256_cert_fingerprints"]),
                ],
            ])
    }()

    private static let fingerprint = JSON.schema(
        "string", "32 pairs of hex digits in upper case, joined by colons.", FingerprintRules.syntax,
        ["pattern": "^[0-9A-F]{2}(:[0-9A-F]{2}){31}$"])

    private static let fingerprints = JSON.schema(
        "array", "The certificates of the app.", FingerprintRules.missing, .list(of: fingerprint, isFilled: true))

    private static let components = JSON.schema(
        "object", nil, dynamic.unknownKey,
        [
            "required": [.string(componentsKey)],
            "properties": .object([(componentsKey, .schema("array", nil, nil, .list(of: rule, isFilled: true)))]),
            "additionalProperties": false,
        ])

    private static let extensions = JSON.schema(
        "object", "Dynamic rules, for Android 15 and later.", dynamic.malformed,
        [
            "minProperties": 1, "properties": .object([(RelationNames.handleAllURLs, components)]),
            "additionalProperties": false,
        ])

    private static let rule: JSON = {
        let text = JSON.schema("string", nil, nil, ["minLength": 1])
        let items = JSON.schema(
            "object", "Items of the query and patterns.", dynamic.queryString,
            ["minProperties": 1, "propertyNames": ["minLength": 1], "additionalProperties": text])
        return .schema(
            "object", "The first rule that matches decides.", dynamic.malformed,
            [
                "properties": [
                    "/": text, "#": text, "?": items,
                    "exclude": .schema("boolean", "Whether the links stay in the browser."),
                ], "anyOf": .array(["/", "?", "#"].map { ["required": [.string($0)]] }), "additionalProperties": false,
            ])
    }()
}
