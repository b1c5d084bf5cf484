private typealias Schema = AssociationJSON

/// The schema of Google's file.
enum AssetLinksSchema {
    private static let rules = StatementRules.self
    private static let dynamic = DynamicRules.self

    static let root: SchemaMembers = Schema.schemaMembers(
        "array", "Statements about apps and sites.", rules.emptyList, Schema.items(statement, isFilled: true))

    private static let statement = Schema.schema(
        "object", nil, rules.statementType,
        [
            Schema.properties([
                (
                    "relation",
                    Schema.schema(
                        "array", "What the target may do: " + RelationNames.known.joined(separator: ", ") + ".",
                        rules.relationType,
                        Schema.items(
                            Schema.schema(
                                "string", nil, rules.relationSyntax, Schema.pattern("^[a-z0-9_.]+/[a-z0-9_.]+$")),
                            isFilled: true))
                ), ("target", target),
                (
                    "include",
                    Schema.schema(
                        "string", "The address of another list.", rules.includeSyntax,
                        Schema.pattern("^[Hh][Tt][Tt][Pp][Ss]://"))
                ), ("relation_extensions", extensions), (RelationExtension.componentsKey, .bool(false)),
            ]), ("if", .object([Schema.required("include")])),
            (
                "then",
                .object([Schema.properties(Schema.none(["relation", "target", "relation_extensions"]))])
            ), ("else", .object([Schema.required("relation", "target")])),
        ])

    private static let target: AssociationJSON = {
        func of(_ namespace: String, _ needed: (String, AssociationJSON), without: [String]) -> AssociationJSON {
            let isIt = Schema.properties([("namespace", .object([("const", .string(namespace))]))])
            return .object([
                ("if", .object([isIt])), ("then", .object([needed, Schema.properties(Schema.none(without))])),
            ])
        }
        return Schema.schema(
            "object", nil, rules.targetType,
            [
                Schema.required("namespace"),
                Schema.properties([
                    (
                        "namespace",
                        Schema.schema(
                            nil, nil, rules.namespace,
                            [("enum", .array(["android_app", "web", "ios_app"].map { .string($0) }))])
                    ), ("site", Schema.schema("string", nil, rules.siteSyntax)),
                    (
                        "package_name",
                        Schema.schema(
                            "string", nil, rules.packageSyntax,
                            Schema.pattern("^[A-Za-z][A-Za-z0-9_]*(\\.[A-Za-z][A-Za-z0-9_]*)+$"))
                    ),
                    ("sha256_cert_fingerprints", fingerprints), ("relation_extensions", .bool(false)),
                    (RelationExtension.componentsKey, .bool(false)),
                ]),
                (
                    "allOf",
                    .array([
                        of(
                            "android_app", Schema.required("package_name", "sha256_cert_fingerprints"),
                            without: ["site"]),
                        of("web", Schema.required("site"), without: ["package_name", "sha256_cert_fingerprints"]),
                    ])
                ),
            ])
    }()

    private static let fingerprints = Schema.schema(
        "array", "The certificates of the app.", FingerprintRules.missing,
        Schema.items(
            Schema.schema(
                "string", "32 pairs of hex digits in upper case, joined by colons.", FingerprintRules.syntax,
                Schema.pattern("^[0-9A-F]{2}(:[0-9A-F]{2}){31}$")), isFilled: true))

    private static let extensions = Schema.schema(
        "object", "Dynamic rules, for Android 15 and later.", dynamic.malformed,
        [
            ("minProperties", .literal("1")),
            Schema.properties([
                (
                    RelationNames.handleAllURLs,
                    Schema.schema(
                        "object", nil, dynamic.unknownKey,
                        [
                            Schema.required(RelationExtension.componentsKey),
                            Schema.properties([
                                (
                                    RelationExtension.componentsKey,
                                    Schema.schema("array", nil, nil, Schema.items(rule, isFilled: true))
                                )
                            ]), Schema.noOthers,
                        ])
                )
            ]), Schema.noOthers,
        ])

    private static let rule: AssociationJSON = {
        let filled: SchemaMembers = [("minLength", .literal("1"))]
        let text = Schema.schema("string", nil, nil, filled)
        return Schema.schema(
            "object", "The first rule that matches decides.", dynamic.malformed,
            [
                Schema.properties([
                    ("/", text), ("#", text),
                    (
                        "?",
                        Schema.schema(
                            "object", "Items of the query and patterns.", dynamic.queryString,
                            [
                                ("minProperties", .literal("1")), ("propertyNames", .object(filled)),
                                ("additionalProperties", text),
                            ])
                    ), ("exclude", Schema.schema("boolean", "Whether the links stay in the browser.")),
                ]), ("anyOf", .array(["/", "?", "#"].map { .object([Schema.required($0)]) })), Schema.noOthers,
            ])
    }()
}
