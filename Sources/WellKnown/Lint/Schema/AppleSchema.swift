private typealias Schema = AssociationJSON

/// The schema of Apple's file.
enum AppleSchema {
    private static let structure = AppleStructureRules.self
    private static let component = AppleComponentRules.self

    static let root: SchemaMembers = Schema.schemaMembers(
        "object", "The services that a site shares with apps.", structure.noService,
        [
            Schema.properties(
                [("applinks", applinks)]
                    + AASAFile.services.filter { $0 != "applinks" }.map { ($0, service($0)) } + Schema.none(["details"])
            ),
            ("anyOf", .array(AASAFile.services.map { .object([Schema.required($0)]) })),
        ])

    private static let app = Schema.schema(
        "string", "An app: its Team ID, a dot and its bundle identifier.",
        AppleIdentifierRules.noPrefix,
        Schema.pattern("^[A-Z0-9]{10}(\\.[A-Za-z0-9-]+)+$"))

    private static func service(_ name: String) -> AssociationJSON {
        let others = AASAFile.services + ["details"]
        return Schema.schema(
            "object", "Apps of the service \(name).", structure.serviceAppsMissing,
            [
                Schema.required("apps"),
                Schema.properties(
                    [("apps", Schema.schema("array", "The apps.", nil, Schema.items(app, isFilled: true)))]
                        + Schema.none(others)),
            ])
    }

    private static let applinks = Schema.schema(
        "object", "Universal links.", structure.detailsMissing,
        [
            Schema.required("details"),
            Schema.properties(
                [
                    ("apps", Schema.schema(nil, "Empty, for iOS 12 and older.", structure.appsNonEmpty)),
                    ("details", details), ("defaults", fields(isClosed: false)), ("substitutionVariables", variables),
                ] + Schema.none(AASAFile.services)),
        ])

    private static let details = Schema.schema(
        nil, "Apps with their rules. The first entry with a rule that matches decides.", structure.detailsMissing,
        [
            (
                "anyOf",
                .array([
                    Schema.schema("array", nil, nil, Schema.items(.object(entry(isKeyed: false)))),
                    Schema.schema(
                        "object", nil, structure.detailsDictionary,
                        [
                            Schema.properties(Schema.none(AASALint.entryKeys)), ("propertyNames", app),
                            ("additionalProperties", .object(entry(isKeyed: true))),
                        ]),
                ])
            )
        ])

    /// - Parameter isKeyed: whether the app is the key of the entry.
    private static func entry(isKeyed: Bool) -> SchemaMembers {
        let rules: SchemaMembers = [
            (
                "components",
                Schema.schema(
                    "array", "Rules for iOS 13 and later. The first one that matches decides.", structure.rulesType,
                    Schema.items(fields(isClosed: true)))
            ),
            (
                "paths",
                Schema.schema(
                    "array", "Rules for iOS 12 and older. NOT before a path excludes it.", structure.rulesType,
                    Schema.items(Schema.schema("string")))
            ), ("defaults", fields(isClosed: false)),
        ]
        let apps: SchemaMembers = [
            ("appIDs", Schema.schema("array", "The apps of the rules.", structure.appIDsType, Schema.items(app))),
            ("appID", app),
        ]
        func filled(_ name: String) -> AssociationJSON {
            .object([
                Schema.required(name), Schema.properties([(name, .object([("minItems", .literal("1"))]))]),
            ])
        }
        let hasRules = AssociationJSON.object([
            (
                "anyOf",
                .array([filled("components"), filled("paths"), .object([Schema.required("components", "paths")])])
            )
        ])
        let hasApps = AssociationJSON.object([
            (
                "anyOf",
                .array([
                    filled("appIDs"),
                    .object([Schema.required("appID"), Schema.properties(Schema.none(["appIDs"]))]),
                ])
            )
        ])
        return [
            ("type", .string("object")),
            Schema.properties((isKeyed ? [] : apps) + rules + Schema.none(AASAFile.services)),
            ("allOf", .array(isKeyed ? [hasRules] : [hasApps, hasRules])),
        ]
    }

    /// A component or defaults.
    ///
    /// - Parameter isClosed: whether other keys than these and remarks are errors.
    private static func fields(isClosed: Bool) -> AssociationJSON {
        let text = Schema.schema("string")
        let query = AssociationJSON.array([
            text, Schema.schema("object", "Items and patterns.", component.queryType, [("additionalProperties", text)]),
        ])
        let known: [String: AssociationJSON] = [
            "/": Schema.schema("string", "A pattern for the path.", component.type),
            "?": Schema.schema(nil, "A pattern for the query or its items.", component.queryArray, [("anyOf", query)]),
            "#": Schema.schema("string", "A pattern for the fragment.", component.type),
            "exclude": Schema.schema("boolean", "Whether the links stay in the browser.", component.excludeType),
            "caseSensitive": Schema.schema("boolean", "Whether upper and lower case differ.", component.type),
            "percentEncoded": Schema.schema("boolean", "Whether links are compared as sent.", component.type),
        ]
        let remarks: SchemaMembers =
            isClosed ? [("patternProperties", .object([(AASALint.remarkPattern, .bool(true))])), Schema.noOthers] : []
        return Schema.schema(
            "object", nil, isClosed ? component.unknownKey : nil,
            [Schema.properties(ComponentFields.keys.map { ($0, known[$0] ?? .bool(true)) })] + remarks)
    }

    private static let variables = Schema.schema(
        "object", "Values of $(name) in patterns.", AppleVariableRules.empty,
        [
            ("propertyNames", .object(Schema.pattern("^[^$()]*$"))),
            (
                "additionalProperties",
                Schema.schema("array", nil, nil, Schema.items(Schema.schema("string"), isFilled: true))
            ),
        ])
}
