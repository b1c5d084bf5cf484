import Foundation
import Testing
import WellKnown

@testable import TestKit
@testable import WellKnownTool

/// Projects as the vendors document them, and what the doctor says of each.
enum ProjectCases {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let files: [String: String]
        /// The verdicts by the first letters of the rows: a agrees, d differs, c caution, - not checked.
        /// iOS: id, domain. Android: package, filter. A dot for a system without rows.
        let ios, android: String
        var app: String?
        var package: String?
        var defined: [String: String] = [:]

        var testDescription: String { name }
    }

    static let host = ProjectSampleTests.host
    static let team = "K7Q2M9X4TB"

    static func manifest(_ host: String = host) -> String { ProjectSampleTests.manifest(host: host) }

    /// An Xcode project with an app in Release and Debug. `settings` are those of the target in Release.
    static func xcode(
        _ settings: String, project: String = "", base: String = "", attributes: String = "", name: String = "Release"
    ) -> String {
        """
        // !$*UTF8*$!
        { objects = {
          P = { isa = PBXProject; buildConfigurationList = L0; targets = (T); attributes = { \(attributes) }; };
          G = { isa = PBXGroup; path = Flutter; sourceTree = "<group>"; children = (F); };
          F = { isa = PBXFileReference; path = Base.xcconfig; sourceTree = "<group>"; };
          T = { isa = PBXNativeTarget; name = Runner; productType = "com.apple.product-type.application"; buildConfigurationList = L1; };
          L0 = { buildConfigurations = (C0, C2); }; L1 = { buildConfigurations = (C1, C3); };
          C0 = { name = "\(name)"; buildSettings = { \(project) }; };
          C1 = { name = "\(name)"; \(base) buildSettings = { \(settings) }; };
          C2 = { name = Debug; buildSettings = { }; };
          C3 = { name = Debug; buildSettings = { PRODUCT_BUNDLE_IDENTIFIER = com.acme.shop.debug; }; };
        }; rootObject = P; }
        """
    }

    static let signed = "CODE_SIGN_ENTITLEMENTS = App.entitlements; "
    static let bundle = "PRODUCT_BUNDLE_IDENTIFIER = com.acme.shop; "
    static let referenced = "baseConfigurationReference = F;"

    static func ios(_ project: String, domain: String = "applinks:\(host)", more: [String: String] = [:]) -> [String:
        String]
    {
        ["ios/Runner.xcodeproj/project.pbxproj": project, "ios/App.entitlements": XcodeSample.entitlements(domain)]
            .merging(more) { $1 }
    }

    static func gradle(_ text: String, kotlin: Bool = false, host: String = host, more: [String: String] = [:])
        -> [String: String]
    {
        ["app/build.gradle\(kotlin ? ".kts" : "")": text, "app/src/main/AndroidManifest.xml": manifest(host)]
            .merging(more) { $1 }
    }

    static func expo(_ ios: String, _ android: String = "") -> String {
        "{\"expo\": {\"name\": \"Shop\", \"ios\": {\(ios)}\(android.isEmpty ? "" : ", \"android\": {\(android)}")}}"
    }

    static let expoApple = "\"bundleIdentifier\": \"com.acme.shop\", \"appleTeamId\": \"\(team)\""
    static let expoDomains = ", \"associatedDomains\": [\"applinks:\(host)\"]"

    static func filters(_ extra: String = "\"action\": \"VIEW\", \"autoVerify\": true") -> String {
        "\"package\": \"com.acme.shop\", \"intentFilters\": [{\(extra), \"data\": {\"scheme\": \"https\", \"host\": \"\(host)\"}, "
            + "\"category\": [\"BROWSABLE\", \"DEFAULT\"]}]"
    }

    static let apple: [Case] = [
        Case(
            name: "team of the project's level",
            files: ios(xcode(signed + bundle, project: "DEVELOPMENT_TEAM = \(team);")), ios: "aa", android: "."),
        Case(
            name: "team under two conditions",
            files: ios(
                xcode(
                    signed + bundle
                        + "DEVELOPMENT_TEAM = \"\"; \"DEVELOPMENT_TEAM[sdk=macosx*]\" = ZZZZZ99999; \"DEVELOPMENT_TEAM[sdk=iphone*]\" = \(team);"
                )), ios: "aa", android: "."),
        Case(
            name: "bundle id under a condition",
            files: ios(
                xcode(
                    signed
                        + "PRODUCT_BUNDLE_IDENTIFIER = com.acme.mac; \"PRODUCT_BUNDLE_IDENTIFIER[sdk=iphoneos*]\" = com.acme.shop; DEVELOPMENT_TEAM = \(team);"
                )), ios: "aa", android: "."),
        Case(
            name: "team in the attributes",
            files: ios(
                xcode(signed + bundle, attributes: "TargetAttributes = { T = { DevelopmentTeam = \(team); }; };")),
            ios: "aa", android: "."),
        Case(
            name: "settings of an included file",
            files: ios(
                xcode(signed, base: referenced),
                more: [
                    "ios/Flutter/Base.xcconfig": "#include \"More.xcconfig\"\n#include? \"none.xcconfig\"\n",
                    "ios/Flutter/More.xcconfig":
                        "DEVELOPMENT_TEAM = \(team) // ours\r\nAPP_ID = com.acme.shop\r\nPRODUCT_BUNDLE_IDENTIFIER = $(APP_ID)\r\n",
                ]), ios: "aa", android: "."),
        Case(
            name: "files that include each other",
            files: ios(
                xcode(signed, base: referenced),
                more: [
                    "ios/Flutter/Base.xcconfig": "#include \"More.xcconfig\"\nDEVELOPMENT_TEAM = \(team)\n",
                    "ios/Flutter/More.xcconfig":
                        "#include \"Base.xcconfig\"\nPRODUCT_BUNDLE_IDENTIFIER = com.acme.shop\n",
                ]), ios: "aa", android: "."),
        Case(
            name: "suffix after the inherited value",
            files: ios(
                xcode(
                    signed + "PRODUCT_BUNDLE_IDENTIFIER = \"$(inherited).shop\"; DEVELOPMENT_TEAM = \(team);",
                    project: "PRODUCT_BUNDLE_IDENTIFIER = com.acme;")), ios: "aa", android: "."),
        Case(
            name: "bundle id from the product's name",
            files: ios(
                xcode(
                    signed
                        + "PRODUCT_NAME = shop; PRODUCT_BUNDLE_IDENTIFIER = \"com.acme.$(PRODUCT_NAME:rfc1034identifier)\"; DEVELOPMENT_TEAM = \(team);"
                )), ios: "aa", android: "."),
        Case(name: "no team anywhere", files: ios(xcode(signed + bundle)), ios: "-a", android: "."),
        Case(
            name: "wrong: another bundle id, no team",
            files: ios(xcode(signed + "PRODUCT_BUNDLE_IDENTIFIER = com.acme.store;")), ios: "da", android: "."),
        Case(
            name: "wrong: another team", files: ios(xcode(signed + bundle + "DEVELOPMENT_TEAM = ZZZZZ99999;")),
            ios: "da", android: "."),
        Case(
            name: "wrong: another host",
            files: ios(xcode(signed + bundle + "DEVELOPMENT_TEAM = \(team);"), domain: "applinks:www.acme.com"),
            ios: "ad", android: "."),
        Case(
            name: "wrong: entitlements that no setting names",
            files: ios(xcode(bundle + "DEVELOPMENT_TEAM = \(team);")), ios: "ad", android: "."),
        Case(
            name: "an app for the Mac beside it",
            files: ios(
                xcode(signed + bundle + "DEVELOPMENT_TEAM = \(team);"),
                more: [
                    "macos/Runner.xcodeproj/project.pbxproj": xcode(
                        "SDKROOT = macosx; PRODUCT_BUNDLE_IDENTIFIER = com.acme.mac;")
                ]), ios: "aa", android: "."),
        Case(name: "a damaged project", files: ios("{ objects = {"), ios: "--", android: "."),
    ]

    static let android: [Case] = [
        Case(
            name: "flavors in Kotlin",
            files: gradle(
                "android {\n namespace = \"com.acme.shop\"\n flavorDimensions += \"env\"\n productFlavors {\n create(\"dev\") { dimension = \"env\"\n applicationIdSuffix = \".dev\" }\n create(\"prod\") { dimension = \"env\" }\n }\n}",
                kotlin: true), ios: ".", android: "aa"),
        Case(
            name: "placeholder of a flavor",
            files: gradle(
                "android { defaultConfig { applicationId 'com.acme.shop' }\n productFlavors {\n dev { manifestPlaceholders = [host: 'dev.acme.com'] }\n prod { manifestPlaceholders = [host: '\(host)'] }\n } }",
                host: "${host}"), ios: ".", android: "aa"),
        Case(
            name: "debug suffix is not the release",
            files: gradle(
                "android { defaultConfig { applicationId 'com.acme.shop' }\n buildTypes { debug { applicationIdSuffix '.debug' }\n release { minifyEnabled true } } }"
            ), ios: ".", android: "aa"),
        Case(
            name: "wrong: suffix of the release",
            files: gradle(
                "android { defaultConfig { applicationId 'com.acme.shop' }\n buildTypes { release { applicationIdSuffix '.pro' } } }"
            ), ios: ".", android: "da"),
        Case(
            name: "interpolation and a sum",
            files: gradle(
                "val base = \"com.acme\"\nandroid { defaultConfig { applicationId = \"$base.shop\"\n manifestPlaceholders[\"host\"] = \"links.\" + \"acme.com\" } }",
                kotlin: true, host: "${host}"), ios: ".", android: "aa"),
        Case(
            name: "a value of gradle.properties",
            files: gradle(
                "android { defaultConfig { applicationId project.property(\"app.id\")\n manifestPlaceholders = [host: linkHost] } }",
                host: "${host}", more: ["gradle.properties": "app.id = com.acme.shop\r\nlinkHost=\(host)\r\n"]),
            ios: ".", android: "aa"),
        Case(
            name: "ext of the root project",
            files: gradle(
                "android { defaultConfig { applicationId rootProject.ext.appId } }",
                more: ["build.gradle": "ext {\n  appId = 'com.acme.shop' // ours\n}\n"]), ios: ".", android: "aa"),
        Case(
            name: "a value that only a run knows",
            files: gradle("android { defaultConfig { applicationId computeId() } }"), ios: ".", android: "-a"),
        Case(
            name: "a condition decides",
            files: gradle(
                "android { defaultConfig { applicationId 'com.acme.shop'\n if (isStore) { applicationId 'com.acme.store' } } }"
            ), ios: ".", android: "-a"),
        Case(
            name: "a flavor with a computed id among others",
            files: gradle(
                "android { productFlavors {\n dev { applicationId 'com.acme.dev' }\n prod { applicationId idOf('prod') }\n } }"
            ), ios: ".", android: "-a"),
        Case(
            name: "wrong: each flavor is another app",
            files: gradle(
                "android { productFlavors {\n a { applicationId 'com.acme.a' }\n b { applicationId 'com.acme.b' }\n } }"
            ), ios: ".", android: "da"),
        Case(
            name: "a resource of a flavor",
            files: gradle(
                "android { defaultConfig { applicationId 'com.acme.shop' }\n productFlavors { prod { } } }",
                host: "@string/host",
                more: [
                    "app/src/prod/res/values/x.xml":
                        "<resources><item type=\"string\" name=\"host\">\n  \(host)\n</item></resources>"
                ]), ios: ".", android: "aa"),
        Case(
            name: "filters of a library",
            files: [
                "app/build.gradle":
                    "android { defaultConfig { applicationId 'com.acme.shop' } }\ndependencies { implementation project(':links') }",
                "app/src/main/AndroidManifest.xml": "<manifest/>",
                "links/build.gradle": "apply plugin: 'com.android.library'",
                "links/src/main/AndroidManifest.xml": manifest(),
            ], ios: ".", android: "aa"),
        Case(
            name: "wrong: another host", files: gradle("android { namespace 'com.acme.shop' }", host: "www.acme.com"),
            ios: ".", android: "ad"),
        Case(
            name: "a manifest that cannot be read",
            files: [
                "app/build.gradle": "android { namespace 'com.acme.shop' }",
                "app/src/main/AndroidManifest.xml": "<manifest",
            ], ios: ".", android: "--"),
    ]

    static let expos: [Case] = [
        Case(
            name: "Expo with comments and a comma too many",
            files: ["app.json": "// ours\n" + expo(expoApple + expoDomains, filters()).replacing("}}}", with: "},}}")],
            ios: "aa", android: "aa"),
        Case(
            name: "an entitlement that Expo removes",
            files: [
                "app.json": expo(
                    expoApple
                        + ", \"entitlements\": {\"com.apple.developer.associated-domains\": [\"applinks:\(host)\"]}")
            ], ios: "ad", android: "."),
        Case(
            name: "autoVerify as a number",
            files: ["app.json": expo(expoApple + expoDomains, filters("\"action\": \"VIEW\", \"autoVerify\": 1"))],
            ios: "aa", android: "aa"),
        Case(
            name: "wrong: autoVerify is an empty text",
            files: ["app.json": expo(expoApple + expoDomains, filters("\"action\": \"VIEW\", \"autoVerify\": \"\""))],
            ios: "aa", android: "ad"),
        Case(
            name: "wrong: an action in full",
            files: [
                "app.json": expo(
                    expoApple + expoDomains, filters("\"action\": \"android.intent.action.VIEW\", \"autoVerify\": true")
                )
            ], ios: "aa", android: "ad"),
        Case(
            name: "two apps of a monorepo, named",
            files: [
                "apps/a/app.json": expo(expoApple + expoDomains),
                "apps/b/app.json": expo(
                    "\"bundleIdentifier\": \"com.acme.other\", \"appleTeamId\": \"\(team)\"" + expoDomains),
            ], ios: "aa", android: ".", app: "\(team).com.acme.shop"),
        Case(
            name: "a program beside JSON, in another folder than the app",
            files: ["apps/a/app.json": expo(expoApple + expoDomains), "apps/b/app.config.js": "module.exports = {}"],
            ios: "aa", android: "--"),
        Case(
            name: "a native project is built as it is",
            files: ios(
                xcode(signed + bundle + "DEVELOPMENT_TEAM = \(team);"),
                more: ["app.json": expo("\"bundleIdentifier\": \"com.acme.old\"")]), ios: "aa", android: "."),
    ]
}
