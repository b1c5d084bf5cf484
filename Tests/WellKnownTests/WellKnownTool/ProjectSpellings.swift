import Foundation

/// Further spellings of the values of a project, as builders read them.
extension ProjectCases {
    static let signedTeam = "\(signed)DEVELOPMENT_TEAM = \(team); "

    private static func android(
        _ name: String, _ text: String, kotlin: Bool = false, _ verdicts: String = "aa",
        more: [String: String] = [:]
    ) -> Case {
        Case(name: name, files: gradle(text, kotlin: kotlin, more: more), ios: ".", android: verdicts)
    }

    private static func app(_ text: String, before: String = "") -> String {
        "\(before)\nandroid { namespace \"com.acme.shop\"\n defaultConfig { applicationId \"com.acme.shop\"\n \(text)\n } }\n"
    }

    private static func placeholder(
        _ name: String, _ text: String, before: String = "", kotlin: Bool = false,
        _ verdicts: String = "aa", more: [String: String] = [:]
    ) -> Case {
        Case(
            name: name,
            files: gradle(app(text, before: before), kotlin: kotlin, host: "${linkHost}", more: more), ios: ".",
            android: verdicts)
    }

    static let gradleSpellings: [Case] = [
        // A condition or a call decides: nothing is known.
        placeholder(
            "variable of a condition", "manifestPlaceholders = [linkHost: h]",
            before: "def h = \"\(host)\"\nif (project.hasProperty(\"a\")) {\n h = \"other.example\"\n}", "a-"),
        android(
            "variable of a condition on one line",
            "def id = \"com.acme.shop\"\nif (project.hasProperty(\"a\")) id = \"com.acme.other\"\nandroid { defaultConfig { applicationId id } }",
            "-a"),
        android(
            "case of a switch",
            "def id = \"com.acme.shop\"\nswitch (x) {\n case \"a\": id = \"com.acme.other\"; break\n}\nandroid { defaultConfig { applicationId id } }",
            "-a"),
        android(
            "branch of when",
            "var id = \"com.acme.shop\"\nwhen (x) {\n \"a\" -> id = \"com.acme.other\"\n}\nandroid { defaultConfig { applicationId = id } }",
            kotlin: true, "-a"),
        android(
            "flavors that a closure changes",
            "android { defaultConfig { applicationId \"com.acme.main\" }\n flavorDimensions \"e\"\n productFlavors { dev {}\n prod {} }\n productFlavors.all { f -> f.applicationId = \"com.acme.\" + f.name } }",
            "-a"),
        android(
            "plugin of the project's own",
            "plugins { id(\"acme.android.application\") }\nandroid { namespace = \"com.acme.other\" }", kotlin: true,
            "-a"),
        // Literals in other spellings.
        placeholder(
            "value before ?:", "manifestPlaceholders = [linkHost: project.findProperty(\"h\") ?: \"b.example\"]",
            more: ["gradle.properties": "h=\(host)\n"]),
        placeholder(
            "setter of the project", "manifestPlaceholders = [linkHost: h]",
            before: "project.ext.set(\"h\", \"\(host)\")"),
        placeholder(
            "property of a block", "manifestPlaceholders[\"linkHost\"] = h", before: "val h by extra { \"\(host)\" }",
            kotlin: true),
        placeholder(
            "map with its types", "manifestPlaceholders = mutableMapOf<String, Any>(\"linkHost\" to \"\(host)\")",
            kotlin: true),
        placeholder(
            "constant of an object", "manifestPlaceholders[\"linkHost\"] = Links.HOST",
            before: "object Links { const val HOST = \"\(host)\" }", kotlin: true),
        placeholder(
            "property after a blank", "manifestPlaceholders = [linkHost: h]",
            more: ["gradle.properties": "# ours\r\nh \(host)\r\n"]),
        placeholder(
            "property on two lines", "manifestPlaceholders = [linkHost: h]",
            more: ["gradle.properties": "h = links.\\\n    \(host.dropFirst("links.".count))\n"]),
        android(
            "release of another build type",
            "android { defaultConfig { applicationId = \"com.acme\" }\n buildTypes { create(\"base\") { applicationIdSuffix = \".shop\" }\n getByName(\"release\") { initWith(getByName(\"base\")) } } }",
            kotlin: true),
        android(
            "plugin of the catalog",
            "plugins { alias(libs.plugins.android.application) }\nandroid { namespace = \"com.acme.shop\" }",
            kotlin: true),
        Case(
            name: "library by its name in the catalog",
            files: [
                "app/build.gradle":
                    "plugins { alias(libs.plugins.android.application) }\nandroid { namespace \"com.acme.shop\" }\ndependencies { implementation(projects.deepLinks) }",
                "app/src/main/AndroidManifest.xml": "<manifest/>",
                "deep-links/build.gradle":
                    "plugins { alias(libs.plugins.android.library) }\nandroid { namespace \"com.acme.links\" }",
                "deep-links/src/main/AndroidManifest.xml": manifest(),
            ], ios: ".", android: "aa"),
        Case(
            name: "manifest that the build file names",
            files: gradle(
                "android { namespace \"com.acme.shop\"\n sourceSets { main { manifest.srcFile \"src/links/AndroidManifest.xml\" } } }",
                host: "no.example", more: ["app/src/links/AndroidManifest.xml": manifest()]), ios: ".", android: "aa"),
        Case(
            name: "source set of a variant",
            files: [
                "app/build.gradle":
                    "android { namespace \"com.acme.shop\"\n flavorDimensions \"e\"\n productFlavors { prod { dimension \"e\" } } }",
                "app/src/main/AndroidManifest.xml": "<manifest/>",
                "app/src/prodRelease/AndroidManifest.xml": manifest(),
            ], ios: ".", android: "aa"),
        Case(
            name: "resource that depends on the version",
            files: gradle(
                app(""), host: "@string/h",
                more: [
                    "app/src/main/res/values/a.xml": "<resources><string name=\"h\">\(host)</string></resources>",
                    "app/src/main/res/values-v31/a.xml": "<resources><string name=\"h\">b.example</string></resources>",
                ]), ios: ".", android: "a-"),
    ]

    static let xcodeSpellings: [Case] =
        [
            ("version of the SDK", xcode(signed + bundle + "\"DEVELOPMENT_TEAM[sdk=iphoneos17.*]\" = \(team);"), "aa"),
            (
                "name with a placeholder in it",
                xcode(signedTeam + "S_Release = shop; PRODUCT_BUNDLE_IDENTIFIER = \"com.acme.$(S_$(CONFIGURATION))\";"),
                "aa"
            ),
            ("octal escape", xcode(signedTeam + "PRODUCT_BUNDLE_IDENTIFIER = \"com.acme.sh\\157p\";"), "aa"),
            ("escape of Unicode", xcode(signedTeam + "PRODUCT_BUNDLE_IDENTIFIER = \"com.acme.sh\\U006fp\";"), "aa"),
            ("byte-order mark", "\u{feff}" + xcode(signedTeam + bundle), "aa"),
            ("unknown suffix", xcode(signedTeam + "PRODUCT_BUNDLE_IDENTIFIER = \"com.acme.shop$(SUFFIX)\";"), "-a"),
            (
                "suffix of the other configuration alone",
                xcode(signedTeam + "PRODUCT_BUNDLE_IDENTIFIER = \"com.acme.shop$(SUFFIX)\";").replacing(
                    "PRODUCT_BUNDLE_IDENTIFIER = com.acme.shop.debug;", with: "SUFFIX = .debug;"), "aa"
            ),
        ].map { Case(name: $0.0, files: ios($0.1), ios: $0.2, android: ".") } + [
            Case(
                name: "quoted settings after a byte-order mark",
                files: ios(
                    xcode(signed, base: referenced),
                    more: [
                        "ios/Flutter/Base.xcconfig":
                            "\u{feff}DEVELOPMENT_TEAM = \"\(team)\"\nPRODUCT_BUNDLE_IDENTIFIER = \"com.acme.shop\"\n"
                    ]), ios: "aa", android: ".")
        ]

    static let expoSpellings: [Case] = [
        Case(
            name: "JSON5",
            files: [
                "app.json": expo(expoApple + expoDomains).replacing("\"expo\"", with: "expo")
                    .replacing("\"", with: "'").replacing("}}}", with: "},}} // ours")
            ], ios: "aa", android: "."),
        Case(
            name: "wrong: one domain in place of a list",
            files: ["app.json": expo(expoApple + ", \"associatedDomains\": \"applinks:\(host)\"")], ios: "ad",
            android: "."),
        Case(
            name: "filters that are no list",
            files: [
                "app.json": expo(
                    expoApple + expoDomains, "\"package\": \"com.acme.shop\", \"intentFilters\": {\"a\": 1}")
            ],
            ios: "aa", android: "--"),
    ]

    /// Long and deep texts, which take neither the stack nor the time.
    static let hostile: [Case] =
        [
            String(repeating: "if (a) ", count: 20_000) + "x = 1", String(repeating: "else ", count: 50_000),
            String(repeating: "case \"a\": ", count: 20_000), String(repeating: "{", count: 200_000),
            "def a = " + String(repeating: "\"x\" ?: ", count: 20_000),
        ].map { Case(name: "hostile: \($0.prefix(9))", files: gradle($0), ios: ".", android: "-a") } + [
            placeholder(
                "hostile: properties on many lines", "manifestPlaceholders = [linkHost: h]", "ad",
                more: ["gradle.properties": String(repeating: "h=\\\n", count: 100_000)]),
            Case(
                name: "hostile: settings that multiply",
                files: ios(
                    xcode(signedTeam, base: referenced),
                    more: [
                        "ios/Flutter/Base.xcconfig": (0..<30).map { level in
                            "A\(level) = " + String(repeating: "$(A\(level + 1))", count: 60) + "\n"
                        }.joined() + "PRODUCT_BUNDLE_IDENTIFIER = $(A0)\n"
                    ]), ios: "-a", android: "."),
        ]
}
