private typealias JSON = AssociationJSON

enum AppleSchema {
    private static let structure = AppleStructureRules.self
    private static let component = AppleComponentRules.self

    static let root: AssociationJSON = .schema(
        "object", "The services that a site shares with apps.", structure.noService,
        [
            "properties": .joined(
                ["applinks": applinks], .object(AASAFile.services.dropFirst().map { ($0, service($0)) }),
                .none(["details"])), "anyOf": .array(AASAFile.services.map { ["required": [.string($0)]] }),
        ])

    private static let app = JSON.schema(
        "string", "An app: its Team ID, a dot and its bundle identifier.", AppleIdentifierRules.noPrefix,
        ["pattern": "^[A-Z0-9]{10}(\\.[A-Za-z0-9-]+)+$"])

    private static func service(_ name: String) -> JSON {
        .schema(
            "object", "Apps of the service \(name).", structure.serviceAppsMissing,
            [
                "required": ["apps"],
                "properties": .joined(
                    ["apps": .schema("array", "The apps.", nil, .list(of: app, isFilled: true))],
                    .none(AASAFile.services + ["details"])),
            ])
    }

    private static let applinks = JSON.schema(
        "object", "Universal links.", structure.detailsMissing,
        [
            "required": ["details"],
            "properties": .joined(
                [
                    "apps": .schema(nil, "Empty, for iOS 12 and older.", structure.appsNonEmpty),
                    "details": details, "defaults": fields(isClosed: false), "substitutionVariables": variables,
                ], .none(AASAFile.services)),
        ])

    private static let details = JSON.schema(
        nil, "Apps with their rules. The first entry with a rule that matches decides.", structure.detailsMissing,
        [
            "anyOf": [
                .schema("array", nil, nil, .list(of: entry(isKeyed: false))),
                .schema(
                    "object", nil, structure.detailsDictionary,
                    [
                        "properties": .none(AASALint.entryKeys), "propertyNames": app,
                        "additionalProperties": entry(isKeyed: true),
                    ]),
            ]
        ])

    /// - Parameter isKeyed: whether the app is the key of the entry.
    private static func entry(isKeyed: Bool) -> JSON {
        let apps: JSON = [
            "appIDs": .schema("array", "The apps of the rules.", structure.appIDsType, .list(of: app)), "appID": app,
        ]
        let rules: JSON = [
            "components": .schema(
                "array", "Rules for iOS 13 and later. The first one that matches decides.", structure.rulesType,
                .list(of: fields(isClosed: true))),
            "paths": .schema(
                "array", "Rules for iOS 12 and older. NOT before a path excludes it.", structure.rulesType,
                .list(of: .schema("string"))), "defaults": fields(isClosed: false),
        ]
        func filled(_ name: String) -> JSON {
            ["required": [.string(name)], "properties": .member(name, ["minItems": 1])]
        }
        let hasRules: JSON = ["anyOf": [filled("components"), filled("paths"), ["required": ["components", "paths"]]]]
        let hasApps: JSON = ["anyOf": [filled("appIDs"), ["required": ["appID"], "properties": .none(["appIDs"])]]]
        return [
            "type": "object", "properties": .joined(isKeyed ? [:] : apps, rules, .none(AASAFile.services)),
            "allOf": isKeyed ? [hasRules] : [hasApps, hasRules],
        ]
    }

    /// A component or defaults.
    ///
    /// - Parameter isClosed: whether other keys than these and remarks are errors.
    private static func fields(isClosed: Bool) -> JSON {
        let text = JSON.schema("string")
        let items = JSON.schema("object", "Items and patterns.", component.queryType, ["additionalProperties": text])
        let known: JSON = [
            "/": .schema("string", "A pattern for the path.", component.type),
            "?": .schema(nil, "A pattern for the query or its items.", component.queryArray, ["anyOf": [text, items]]),
            "#": .schema("string", "A pattern for the fragment.", component.type),
            "exclude": .schema("boolean", "Whether the links stay in the browser.", component.excludeType),
            "comment": true,
            "caseSensitive": .schema("boolean", "Whether upper and lower case differ.", component.type),
            "percentEncoded": .schema("boolean", "Whether links are compared as sent.", component.type),
        ]
        let remarks: JSON = ["patternProperties": .member(AASALint.remarkPattern, true), "additionalProperties": false]
        return .schema(
            "object", nil, isClosed ? component.unknownKey : nil,
            .joined(["properties": known], isClosed ? remarks : [:]))
    }

    private static let variables = JSON.schema(
        "object", "Values of $(name) in patterns.", AppleVariableRules.empty,
        [
            "propertyNames": ["pattern": "^[^$()]*$"],
            "additionalProperties": .schema("array", nil, nil, .list(of: .schema("string"), isFilled: true)),
        ])
}
