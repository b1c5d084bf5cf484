// swift-tools-version:6.2
import PackageDescription

/// One list for every target of ours: Swift 6, and a warning is an error.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// Templates and styles are compiled in one by one: a missing file is a build error, the binary is the deployment.
func embedded(_ paths: String...) -> [Resource] { paths.map { .embedInCode($0) } }

let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let jwtKit = Target.Dependency.product(name: "JWTKit", package: "jwt-kit")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")

let package = Package(
    name: "swift-sso",
    platforms: [.macOS(.v15), .iOS(.v16)],
    products: [
        .executable(name: "idp", targets: ["IdP"]),
        .executable(name: "relying-party", targets: ["RelyingParty"]),
        .executable(name: "wellknown", targets: ["WellKnownTool"]),
        .library(name: "SSONative", targets: ["SSONative"]),
        .library(name: "SSOShared", targets: ["SSOShared"]),
        .library(name: "WellKnown", targets: ["WellKnown"]),
    ],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: ["CommandLineArguments"]),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    targets: [
        // What both ends of the wire agree on, and a partner in Swift can take alone.
        .systemLibrary(
            name: "COpenSSL", path: "Sources/COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CCurl", path: "Sources/CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(
            name: "CZlib", path: "Sources/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "SSOShared", dependencies: ["CCurl", "COpenSSL"], swiftSettings: settings),
        .target(name: "WellKnown", dependencies: ["SSOShared"], swiftSettings: settings),

        // The commit that the programs were built from. No library depends on it.
        .plugin(name: "BuildStampPlugin", capability: .buildTool()),
        .target(
            name: "ThisBuild", dependencies: ["SSOShared"], swiftSettings: settings, plugins: ["BuildStampPlugin"]),

        // For apps: which link opens where, and sign-in by handoff. Apple's platforms have CryptoKit instead.
        .target(
            name: "SSONative",
            dependencies: [
                .product(
                    name: "Crypto", package: "swift-crypto", condition: .when(platforms: [.linux, .android, .windows]))
            ],
            swiftSettings: settings),

        // The program `wellknown`: no web stack below it.
        .executableTarget(
            name: "WellKnownTool",
            dependencies: [
                "COpenSSL", "CZlib", "SSOShared", "ThisBuild", "WellKnown", arguments,
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: settings),

        // Browser plumbing both programs share.
        .target(
            name: "SSOWeb",
            dependencies: [
                "SSOShared", hummingbird, mustache, logging, arguments, lifecycle, httpTypes, nioCore,
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            resources: embedded(
                "Pages/layout.mustache", "Pages/error.mustache", "Pages/reset-app.mustache", "Pages/base.css",
                "Pages/times.js", "Texts/en.json", "Texts/de.json"),
            swiftSettings: settings),

        // The two programs.
        .executableTarget(
            name: "IdP",
            dependencies: [
                "CCurl", "SSOShared", "SSOWeb", "ThisBuild", "WellKnown", hummingbird, logging, arguments, lifecycle,
                httpTypes, jwtKit, nioCore, .product(name: "Yams", package: "Yams"),
            ],
            resources: embedded(
                "idp-brand.css", "idp-icon.svg", "Texts/en.json", "Texts/de.json", "Authorize/completion.mustache",
                "Authorize/continue.js", "Authorize/account.mustache",
                "SignIn/BrowserLink/device.mustache",
                "AppLinks/native-link.mustache", "AppLinks/native-link-end.mustache",
                "Handoff/native-start.mustache", "Handoff/native-confirm.mustache", "Handoff/native-continue.mustache",
                "Handoff/native.js",
                "Home/home.mustache", "Home/signed-out.mustache", "Identities/identity-confirm.mustache",
                "Notices/account-notice-html.mustache", "Notices/account-notice-text.mustache",
                "Home/welcome.mustache", "LinkTester/link-tester.mustache", "DevPages/mailbox.mustache",
                "SignIn/sign-in.js",
                "SignIn/sign-in.mustache",
                "SignIn/EmailCode/email-code.mustache", "SignIn/EmailCode/email-code-message-html.mustache",
                "SignIn/EmailCode/email-code-message-text.mustache",
                "SignIn/EmailLink/email-link.mustache", "SignIn/EmailLink/email-link-ended.mustache",
                "SignIn/EmailReply/signed-in-elsewhere.mustache",
                "SignIn/Provider/provider-continue.mustache", "SignIn/Provider/provider-known-address.mustache",
                "SignIn/Provider/provider-apple.svg", "SignIn/Provider/provider-github.svg",
                "SignIn/Provider/provider-google.svg", "SignIn/Provider/provider-microsoft.svg"),
            swiftSettings: settings),
        .executableTarget(
            name: "RelyingParty",
            dependencies: [
                "SSOShared", "SSOWeb", "ThisBuild", hummingbird, logging, arguments, lifecycle, httpTypes, nioCore,
            ],
            resources: embedded(
                "rp-brand.css", "rp-icon.svg", "Texts/en.json", "Texts/de.json", "Pages/account.mustache",
                "Pages/signed-in.mustache", "Pages/signed-out.mustache"),
            swiftSettings: settings),

        // The example of docs/relying-party.md. Not a product.
        .executableTarget(
            name: "RelyingPartyExample", dependencies: ["SSOShared", hummingbird],
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),

        // script/bench. Measures the programs from outside; not a product.
        .executableTarget(
            name: "Bench",
            dependencies: ["SSOShared", crypto, .product(name: "CryptoExtras", package: "swift-crypto")],
            swiftSettings: settings),

        // script/fuzz and script/bench wellknown. Not a product.
        .executableTarget(
            name: "WellKnownBench", dependencies: ["SSOShared", "WellKnown", arguments], swiftSettings: settings),

        // Tests in three speeds: rules and one program in memory; whole deployments; the library and tool `wellknown`.
        .testTarget(
            name: "TestSupport",
            dependencies: [
                "COpenSSL", "IdP", "RelyingParty", "SSONative", "SSOShared", "SSOWeb", crypto, hummingbird, jwtKit,
                lifecycle, logging, httpTypes, nioCore,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SSOTests",
            dependencies: [
                "TestSupport", "IdP", "RelyingParty", "SSOShared", "SSOWeb", "WellKnown", crypto, hummingbird, jwtKit,
                lifecycle, logging, httpTypes, nioCore, .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "DeploymentTests",
            dependencies: [
                "TestSupport", "IdP", "RelyingParty", "RelyingPartyExample", "SSONative", "SSOShared", "SSOWeb",
                "ThisBuild", "WellKnown",
                "WellKnownTool", crypto, hummingbird, jwtKit, lifecycle, logging, httpTypes, nioCore,
            ],
            swiftSettings: settings),
        .testTarget(name: "SSONativeTests", dependencies: ["SSONative"], swiftSettings: settings),
        .testTarget(
            name: "WellKnownTests",
            dependencies: ["TestSupport", "SSOShared", "SSOWeb", "ThisBuild", "WellKnown", "WellKnownTool"],
            swiftSettings: settings),
    ]
)
