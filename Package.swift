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

/// Tests have no debug information, so that they build sooner. A backtrace still has the names. By the frontend's option: SwiftPM
/// puts a `-g` after those of the driver, and the last one counts.
let testSettings = settings + [.unsafeFlags(["-Xfrontend", "-gnone"])]

/// Compiles in the templates, texts and styles in the folder of a target: the binary is the deployment.
let pageFiles = Target.PluginUsage.plugin(name: "PageFilesPlugin")

let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")

let package = Package(
    name: "swift-sso",
    platforms: [.macOS(.v15), .iOS(.v16)],
    products: [
        .executable(name: "idp", targets: ["IdP"]),
        .executable(name: "relying-party", targets: ["RelyingParty"]),
        .executable(name: "wellknown", targets: ["WellKnownTool"]),
        .library(name: "SSONative", targets: ["SSONative"]),
        .library(name: "SSOShared", targets: ["SSOShared", "SSOClient"]),
        .library(name: "WellKnown", targets: ["WellKnown"]),
    ],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", exact: "2.1.1"),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration", exact: "1.4.0", traits: ["CommandLineArguments"]),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    ],
    targets: [
        // What both ends of the wire agree on, and a partner in Swift can take alone.
        .systemLibrary(
            name: "COpenSSL", path: "Sources/COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CCurl", path: "Sources/CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(
            name: "CPostgres", path: "Sources/CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(
            name: "CSQLite", path: "Sources/CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(
            name: "CZlib", path: "Sources/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(
            name: "SSOShared", dependencies: ["CCurl", "COpenSSL"], resources: [.embedInCode("VERSION")],
            swiftSettings: settings),
        .target(name: "SSOClient", dependencies: ["SSOShared"], swiftSettings: settings),

        // What all programs say about a command line that is wrong.
        .target(name: "CommandLines", dependencies: ["SSOShared", arguments], swiftSettings: settings),
        .target(name: "WellKnown", dependencies: ["COpenSSL", "SSOShared"], swiftSettings: settings),

        // The pages of a target.
        .plugin(name: "PageFilesPlugin", capability: .buildTool()),

        // Keys and signatures of JSON Web Tokens.
        .target(name: "JWT", dependencies: ["COpenSSL", "SSOShared"], swiftSettings: settings),

        // What a passkey's registration and sign-in consist of: bytes in, a value or a reason out.
        .target(name: "WebAuthn", dependencies: ["COpenSSL", "SSOShared"], swiftSettings: settings),

        // The commit that the programs were built from. No library depends on it.
        .plugin(name: "BuildStampPlugin", capability: .buildTool()),
        .target(
            name: "ThisBuild", dependencies: ["SSOShared"], swiftSettings: settings, plugins: ["BuildStampPlugin"]),

        // For apps: which link opens where, and sign-in by handoff. Apple's platforms have CryptoKit instead of libcrypto.
        .target(
            name: "SSONative",
            dependencies: [.target(name: "COpenSSL", condition: .when(platforms: [.linux]))],
            swiftSettings: settings),

        // The program `wellknown`: no web stack below it.
        .executableTarget(
            name: "WellKnownTool",
            dependencies: [
                "COpenSSL", "CZlib", "CommandLines", "JWT", "SSOShared", "ThisBuild", "WellKnown", arguments,
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: settings),

        // What the stores see of a database. No engine is below it.
        .target(name: "Storage", swiftSettings: settings),

        // The engines. Only the programs import them, where they open a database.
        .target(name: "SQLiteStorage", dependencies: ["CSQLite", "SSOShared", "Storage"], swiftSettings: settings),

        .target(
            name: "PostgresStorage", dependencies: ["CPostgres", "Storage", logging], swiftSettings: settings),

        // The database of a program, on either engine.
        .target(
            name: "StorageEngines",
            dependencies: ["PostgresStorage", "SQLiteStorage", "SSOWeb", "Storage", logging], swiftSettings: settings),

        // Browser plumbing both programs share.
        .target(
            name: "SSOWeb",
            dependencies: [
                "CZlib", "CommandLines", "SSOShared", "Storage", arguments, httpTypes, hummingbird, lifecycle, logging,
                mustache, nioCore,
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings, plugins: [pageFiles]),

        // YAML files that settings name.
        .target(
            name: "YAMLSettings", dependencies: ["SSOShared", "SSOWeb", .product(name: "Yams", package: "Yams")],
            swiftSettings: settings),

        // The identity provider. Sign-in methods, protocols, apps and account pages never see one another; mail and the calls
        // to providers see no account; only the program names a database. docs/architecture.md has the picture.
        .target(
            name: "IdPClients",
            dependencies: [
                "SSOShared", "SSOWeb", "Storage", "YAMLSettings", httpTypes, hummingbird, logging, nioCore,
                .product(name: "Yams", package: "Yams"),
            ],
            path: "Sources/IdP/Clients",
            swiftSettings: settings),
        .target(
            name: "IdPSignOut",
            dependencies: ["IdPClients", "SSOShared", "SSOWeb", "Storage", lifecycle, logging],
            path: "Sources/IdP/SignOut",
            swiftSettings: settings),
        .target(
            name: "IdPAccounts",
            dependencies: [
                "IdPClients", "IdPSignOut", "SSOShared", "SSOWeb", "Storage", httpTypes, hummingbird, logging,
            ],
            path: "Sources/IdP/Accounts",
            swiftSettings: settings, plugins: [pageFiles]),
        .target(
            name: "IdPOperations",
            dependencies: ["IdPAccounts", "IdPClients", "IdPSignOut", "SSOShared", "SSOWeb", "Storage", logging],
            path: "Sources/IdP/Operations",
            swiftSettings: settings),
        .target(
            name: "IdPInboundMail",
            dependencies: ["SSOShared"],
            path: "Sources/IdP/InboundMail",
            swiftSettings: settings),
        .target(
            name: "IdPMail",
            dependencies: ["SSOShared", "SSOWeb", "Storage", lifecycle, logging],
            path: "Sources/IdP/Mail",
            swiftSettings: settings),
        .target(
            name: "IdPProviders",
            dependencies: [
                "CZlib", "JWT", "SSOShared", "SSOWeb", "YAMLSettings", logging,
                .product(name: "Yams", package: "Yams"),
            ],
            path: "Sources/IdP/Providers",
            swiftSettings: settings),
        .target(
            name: "IdPFlow",
            dependencies: [
                "IdPAccounts", "IdPClients", "IdPMail", "IdPSignOut", "SSOShared", "SSOWeb", "Storage", httpTypes,
                hummingbird, logging, nioCore,
            ],
            path: "Sources/IdP/Flow",
            swiftSettings: settings, plugins: [pageFiles]),
        .target(
            name: "IdPAuthorization",
            dependencies: [
                "IdPAccounts", "IdPClients", "IdPFlow", "IdPSignOut", "SSOShared", "SSOWeb", "Storage", httpTypes,
                hummingbird, logging,
            ],
            path: "Sources/IdP/Authorization",
            swiftSettings: settings, plugins: [pageFiles]),
        .target(
            name: "IdPSignIn",
            dependencies: [
                "IdPAccounts", "IdPAuthorization", "IdPClients", "IdPFlow", "IdPInboundMail", "IdPMail", "IdPProviders",
                "SSOShared", "SSOWeb", "Storage", httpTypes, hummingbird, logging, nioCore,
            ],
            path: "Sources/IdP/SignIn",
            swiftSettings: settings, plugins: [pageFiles]),
        .target(
            name: "IdPPasskeys",
            dependencies: [
                "IdPAccounts", "IdPClients", "IdPFlow", "IdPSignIn", "IdPSignOut", "SSOShared", "SSOWeb", "Storage",
                "WebAuthn", httpTypes, hummingbird, logging,
            ],
            path: "Sources/IdP/Passkeys",
            swiftSettings: settings, plugins: [pageFiles]),
        .target(
            name: "IdPProviderSignIn",
            dependencies: [
                "IdPAccounts", "IdPClients", "IdPFlow", "IdPProviders", "SSOShared", "SSOWeb", "Storage", httpTypes,
                hummingbird, logging, nioCore,
            ],
            path: "Sources/IdP/ProviderSignIn",
            swiftSettings: settings, plugins: [pageFiles]),
        .target(
            name: "IdPSigningKeys",
            dependencies: ["IdPClients", "JWT", "SSOShared", "SSOWeb", "Storage", logging],
            path: "Sources/IdP/SigningKeys",
            swiftSettings: settings),
        .target(
            name: "IdPSSO",
            dependencies: [
                "IdPAccounts", "IdPAuthorization", "IdPClients", "IdPFlow", "IdPSignOut", "SSOShared", "SSOWeb",
                "Storage", httpTypes, hummingbird, logging,
            ],
            path: "Sources/IdP/Protocols/SSO",
            swiftSettings: settings, plugins: [pageFiles]),
        .target(
            name: "IdPOIDC",
            dependencies: [
                "IdPAccounts", "IdPAuthorization", "IdPClients", "IdPFlow", "IdPSignOut", "IdPSigningKeys", "JWT",
                "SSOShared", "SSOWeb", "Storage", httpTypes, hummingbird, logging, nioCore,
            ],
            path: "Sources/IdP/Protocols/OIDC",
            swiftSettings: settings, plugins: [pageFiles]),
        .target(
            name: "IdPGate",
            dependencies: [
                "IdPAccounts", "IdPAuthorization", "IdPClients", "IdPFlow", "IdPSignOut", "IdPSigningKeys", "JWT",
                "SSOShared", "SSOWeb", "Storage", "WellKnown", httpTypes, hummingbird, logging, nioCore,
            ],
            path: "Sources/IdP/Protocols/Gate",
            swiftSettings: settings, plugins: [pageFiles]),
        .target(
            name: "IdPApps",
            dependencies: [
                "IdPAccounts", "IdPClients", "IdPFlow", "IdPProviders", "SSOShared", "SSOWeb", "Storage", "WellKnown",
                httpTypes, hummingbird, logging,
            ],
            path: "Sources/IdP/Apps",
            swiftSettings: settings, plugins: [pageFiles]),
        .target(
            name: "IdPAccountPages",
            dependencies: [
                "IdPAccounts", "IdPAuthorization", "IdPClients", "IdPFlow", "IdPMail", "IdPOperations", "IdPProviders",
                "IdPSignOut", "SSOShared", "SSOWeb", "Storage", httpTypes, hummingbird, logging,
            ],
            path: "Sources/IdP/AccountPages",
            swiftSettings: settings, plugins: [pageFiles]),
        .target(
            name: "IdPAdmin",
            dependencies: [
                "IdPAccounts", "IdPClients", "IdPFlow", "IdPMail", "IdPOperations", "IdPSignOut", "SSOShared", "SSOWeb",
                "Storage", httpTypes, hummingbird, logging,
            ],
            path: "Sources/IdP/Admin",
            swiftSettings: settings, plugins: [pageFiles]),

        .target(
            name: "IdPDevPages",
            dependencies: [
                "IdPApps", "IdPClients", "IdPFlow", "IdPMail", "SSOShared", "SSOWeb", "WellKnown", httpTypes,
                hummingbird, nioCore,
            ],
            path: "Sources/IdP/DevPages",
            swiftSettings: settings, plugins: [pageFiles]),
        .target(
            name: "IdPSchema",
            dependencies: [
                "IdPAccountPages", "IdPAccounts", "IdPAdmin", "IdPApps", "IdPAuthorization", "IdPClients", "IdPGate",
                "IdPMail", "IdPOIDC", "IdPOperations", "IdPProviderSignIn", "IdPSignIn", "IdPSignOut", "IdPSigningKeys",
                "SSOShared", "SSOWeb", "Storage", "ThisBuild",
            ],
            path: "Sources/IdP/Schema",
            swiftSettings: settings),

        // What `idp serve` consists of: the settings, the list of features, services, metrics.
        .target(
            name: "IdPServer",
            dependencies: [
                "IdPAccountPages", "IdPAccounts", "IdPAdmin", "IdPApps", "IdPAuthorization", "IdPClients",
                "IdPDevPages", "IdPFlow", "IdPGate", "IdPMail", "IdPOIDC", "IdPOperations", "IdPPasskeys",
                "IdPProviderSignIn", "IdPProviders", "IdPSSO", "IdPSchema", "IdPSignIn", "IdPSignOut", "IdPSigningKeys",
                "JWT", "SSOShared", "SSOWeb", "Storage", "StorageEngines", "ThisBuild", hummingbird, lifecycle, logging,
            ],
            path: "Sources/IdP/Server",
            swiftSettings: settings, plugins: [pageFiles]),

        // The program `idp`: its commands.
        .executableTarget(
            name: "IdP",
            dependencies: [
                "CommandLines", "IdPAccountPages", "IdPAccounts", "IdPClients", "IdPDevPages", "IdPFlow", "IdPGate",
                "IdPInboundMail", "IdPMail", "IdPOperations", "IdPProviders", "IdPSchema", "IdPServer", "IdPSignIn",
                "IdPSignOut", "IdPSigningKeys", "PostgresStorage", "SQLiteStorage", "SSOShared", "SSOWeb", "Storage",
                "StorageEngines", "ThisBuild", arguments, logging,
            ],
            path: "Sources/IdP/Program",
            swiftSettings: settings),

        // The sample client.
        .executableTarget(
            name: "RelyingParty",
            dependencies: [
                "CommandLines", "SSOClient", "SSOShared", "SSOWeb", "Storage", "StorageEngines", "ThisBuild", arguments,
                httpTypes, hummingbird, lifecycle, logging, nioCore,
            ],
            swiftSettings: settings, plugins: [pageFiles]),

        // The example of docs/relying-party.md. Not a product.
        .executableTarget(
            name: "RelyingPartyExample", dependencies: ["SSOClient", "SSOShared", hummingbird],
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),

        // script/bench. Measures the programs from outside; not a product.
        .executableTarget(
            name: "Bench",
            dependencies: ["JWT", "SSOShared"],
            swiftSettings: settings),

        // script/fuzz and script/bench wellknown. Not a product.
        .executableTarget(
            name: "WellKnownBench", dependencies: ["SSOShared", "WellKnown", arguments], swiftSettings: settings),

        // What tests are made with. TestKit knows no program; WebTestKit knows SSOWeb and SQLite; ProbeKit looks at rows and is the
        // only one that names columns; Counterparts are what the programs talk to; IdPTestKit has whole deployments.
        .testTarget(
            name: "TestKit",
            dependencies: ["COpenSSL", "JWT", "SSOShared"],
            swiftSettings: testSettings),
        .testTarget(
            name: "WebTestKit",
            dependencies: [
                "TestKit", "PostgresStorage", "SQLiteStorage", "SSOShared", "SSOWeb", "Storage", httpTypes, hummingbird,
                lifecycle, logging, nioCore,
            ],
            swiftSettings: testSettings),
        .testTarget(
            name: "ProbeKit",
            dependencies: ["SSOWeb", "Storage"],
            swiftSettings: testSettings),
        .testTarget(
            name: "Counterparts",
            dependencies: [
                "TestKit", "WebTestKit", "IdPClients", "IdPInboundMail", "IdPMail", "IdPOIDC", "IdPProviders", "IdPSSO",
                "JWT", "SSOShared", "SSOWeb",
            ],
            swiftSettings: testSettings),
        .testTarget(
            name: "IdPTestKit",
            dependencies: [
                "TestKit", "WebTestKit", "ProbeKit", "Counterparts", "IdP", "IdPAccounts", "IdPAuthorization",
                "IdPClients", "IdPDevPages", "IdPFlow", "IdPGate", "IdPMail", "IdPOIDC", "IdPOperations",
                "IdPProviders", "IdPSSO", "IdPSchema", "IdPServer", "IdPSignOut", "JWT", "PostgresStorage",
                "RelyingParty", "SQLiteStorage", "SSOClient", "SSONative", "SSOShared", "SSOWeb", "Storage", httpTypes,
                hummingbird, logging, nioCore,
            ],
            swiftSettings: testSettings),

        // The rules of each library.
        .testTarget(
            name: "SSOSharedTests",
            dependencies: ["TestKit", "SSOClient", "SSOShared"],
            swiftSettings: testSettings),
        .testTarget(
            name: "JWTTests",
            dependencies: ["TestKit", "JWT", "SSOShared"],
            swiftSettings: testSettings),
        .testTarget(
            name: "WebAuthnTests",
            dependencies: ["TestKit", "JWT", "SSOShared", "WebAuthn"],
            swiftSettings: testSettings),
        .testTarget(
            name: "StorageTests",
            dependencies: ["TestKit", "WebTestKit", "Storage"],
            swiftSettings: testSettings),
        .testTarget(
            name: "SQLiteStorageTests",
            dependencies: ["TestKit", "WebTestKit", "SQLiteStorage", "SSOShared", "Storage"],
            swiftSettings: testSettings),
        .testTarget(
            name: "PostgresStorageTests",
            dependencies: ["TestKit", "WebTestKit", "PostgresStorage", "Storage", logging],
            swiftSettings: testSettings),
        .testTarget(
            name: "SSOWebTests",
            dependencies: [
                "TestKit", "WebTestKit", "SSOShared", "SSOWeb", httpTypes, hummingbird, lifecycle, logging, nioCore,
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: testSettings),
        .testTarget(
            name: "IdPClientsTests",
            dependencies: [
                "TestKit", "WebTestKit", "Counterparts", "IdPClients", "IdPOIDC", "IdPSSO", "SSOShared", "SSOWeb",
            ],
            swiftSettings: testSettings),
        .testTarget(
            name: "IdPAccountsTests", dependencies: ["TestKit", "IdPAccounts", "IdPSignOut", "SSOShared", "SSOWeb"],
            swiftSettings: testSettings),
        .testTarget(
            name: "IdPOperationsTests",
            dependencies: ["TestKit", "IdPOperations", "SSOShared", "SSOWeb"],
            swiftSettings: testSettings),
        .testTarget(
            name: "IdPMailTests",
            dependencies: [
                "TestKit", "WebTestKit", "Counterparts", "IdPInboundMail", "IdPMail", "SSOShared", "SSOWeb",
            ],
            swiftSettings: testSettings),
        .testTarget(
            name: "IdPProvidersTests",
            dependencies: [
                "TestKit", "WebTestKit", "Counterparts", "IdPProviders", "JWT", "SSOShared", "SSOWeb", logging,
            ],
            swiftSettings: testSettings),
        .testTarget(
            name: "IdPSignInTests",
            dependencies: [
                "TestKit", "WebTestKit", "IdPAccounts", "IdPAuthorization", "IdPProviderSignIn", "IdPProviders",
                "IdPSignIn", "SSOShared", "SSOWeb",
            ],
            swiftSettings: testSettings),
        .testTarget(
            name: "IdPAppsTests",
            dependencies: ["TestKit", "WebTestKit", "IdPApps", "SSOWeb", "WellKnown", hummingbird, logging],
            swiftSettings: testSettings),
        .testTarget(
            name: "SSONativeTests",
            dependencies: ["TestKit", "SSONative"],
            swiftSettings: testSettings),
        .testTarget(
            name: "WellKnownTests",
            dependencies: ["TestKit", "SSOShared", "WellKnown", "WellKnownTool"],
            path: "Tests/WellKnownTests/WellKnown",
            swiftSettings: testSettings),

        // A model of what is right, and random histories of the whole program in memory against it.
        .testTarget(
            name: "ModelTests",
            dependencies: [
                "TestKit", "WebTestKit", "Counterparts", "IdPTestKit", "ProbeKit", "IdP", "IdPAccountPages",
                "IdPAccounts", "IdPAdmin", "IdPClients", "IdPDevPages", "IdPFlow", "IdPGate", "IdPMail",
                "IdPOperations", "IdPSchema", "IdPServer", "IdPSignOut", "SQLiteStorage", "SSOShared", "SSOWeb",
                "Storage", httpTypes, hummingbird, logging, nioCore,
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ],
            swiftSettings: testSettings),

        // The whole program in memory, by feature.
        .testTarget(
            name: "AccountTests",
            dependencies: [
                "TestKit", "WebTestKit", "Counterparts", "IdPTestKit", "ProbeKit", "IdP", "IdPAccountPages",
                "IdPAccounts", "IdPApps", "IdPAuthorization", "IdPClients", "IdPDevPages", "IdPFlow", "IdPGate",
                "IdPMail", "IdPOIDC", "IdPOperations", "IdPProviderSignIn", "IdPProviders", "IdPSchema", "IdPServer",
                "IdPSignIn", "IdPSignOut", "SQLiteStorage", "SSOShared", "SSOWeb", "Storage", logging,
            ],
            path: "Tests/SSOTests/Accounts",
            swiftSettings: testSettings),
        .testTarget(
            name: "OwnAccountTests",
            dependencies: [
                "TestKit", "WebTestKit", "Counterparts", "IdPTestKit", "ProbeKit", "IdP", "IdPAccountPages",
                "IdPAccounts", "IdPClients", "IdPMail", "IdPOperations", "IdPProviders", "IdPServer", "IdPSignOut",
                "SSOShared", "SSOWeb", "Storage",
            ],
            swiftSettings: testSettings),
        .testTarget(
            name: "AdminTests",
            dependencies: [
                "TestKit", "WebTestKit", "Counterparts", "IdPTestKit", "ProbeKit", "IdP", "IdPAccounts", "IdPAdmin",
                "IdPAuthorization", "IdPClients", "IdPFlow", "IdPMail", "IdPOIDC", "IdPOperations", "IdPServer",
                "SSOShared", "SSOWeb", "Storage", httpTypes, hummingbird, logging,
            ],
            swiftSettings: testSettings),
        .testTarget(
            name: "AppTests",
            dependencies: [
                "TestKit", "WebTestKit", "Counterparts", "IdPTestKit", "ProbeKit", "IdP", "IdPAccounts", "IdPApps",
                "IdPClients", "IdPDevPages", "IdPFlow", "IdPMail", "IdPOperations", "IdPProviders", "IdPSchema",
                "IdPServer", "RelyingParty", "SQLiteStorage", "SSOClient", "SSOShared", "SSOWeb", "Storage",
                "WellKnown", hummingbird, logging,
                .product(name: "Yams", package: "Yams"),
            ],
            path: "Tests/SSOTests/Apps",
            swiftSettings: testSettings),
        .testTarget(
            name: "ClientTests",
            dependencies: [
                "TestKit", "WebTestKit", "Counterparts", "IdPTestKit", "ProbeKit", "IdP", "IdPAccounts",
                "IdPAuthorization", "IdPClients", "IdPFlow", "IdPGate", "IdPMail", "IdPOIDC", "IdPOperations", "IdPSSO",
                "IdPServer", "IdPSignOut", "IdPSigningKeys", "SSOShared", "SSOWeb", "Storage",
            ],
            path: "Tests/SSOTests/Clients",
            swiftSettings: testSettings),
        .testTarget(
            name: "GateTests",
            dependencies: [
                "TestKit", "WebTestKit", "Counterparts", "IdPTestKit", "ProbeKit", "IdP", "IdPClients", "IdPFlow",
                "IdPGate", "IdPOIDC", "IdPOperations", "IdPServer", "IdPSignOut", "JWT", "SSOShared", "SSOWeb",
                "Storage",
            ],
            swiftSettings: testSettings),
        .testTarget(
            name: "EmailTests",
            dependencies: [
                "TestKit", "WebTestKit", "Counterparts", "IdPTestKit", "ProbeKit", "IdP", "IdPAccounts", "IdPClients",
                "IdPDevPages", "IdPFlow", "IdPInboundMail", "IdPMail", "IdPOperations", "IdPProviders", "IdPSchema",
                "IdPServer", "IdPSignIn", "SQLiteStorage", "SSOShared", "SSOWeb", "Storage", httpTypes, hummingbird,
            ],
            path: "Tests/SSOTests/Email",
            swiftSettings: testSettings),
        .testTarget(
            name: "PageTests",
            dependencies: [
                "TestKit", "WebTestKit", "Counterparts", "IdPTestKit", "ProbeKit", "IdP", "IdPAccountPages",
                "IdPAccounts", "IdPAuthorization", "IdPClients", "IdPDevPages", "IdPFlow", "IdPMail", "IdPOIDC",
                "IdPOperations", "IdPProviders", "IdPServer", "RelyingParty", "SSOClient", "SSOShared", "SSOWeb",
                "Storage", httpTypes, hummingbird, nioCore,
            ],
            path: "Tests/SSOTests/Pages",
            swiftSettings: testSettings),
        .testTarget(
            name: "ProgramTests",
            dependencies: [
                "TestKit", "WebTestKit", "Counterparts", "IdPTestKit", "ProbeKit", "CommandLines", "IdP", "IdPAccounts",
                "IdPAuthorization", "IdPClients", "IdPFlow", "IdPGate", "IdPMail", "IdPOIDC", "IdPOperations",
                "IdPProviders", "IdPSSO", "IdPSchema", "IdPServer", "IdPSignOut", "PostgresStorage", "RelyingParty",
                "SQLiteStorage", "SSOShared", "SSOWeb", "Storage", hummingbird, logging,
            ],
            path: "Tests/SSOTests/Program",
            swiftSettings: testSettings),
        .testTarget(
            name: "ProtocolTests",
            dependencies: [
                "TestKit", "WebTestKit", "Counterparts", "IdPTestKit", "ProbeKit", "IdP", "IdPAccounts",
                "IdPAuthorization", "IdPClients", "IdPFlow", "IdPOIDC", "IdPOperations", "IdPProviders", "IdPSSO",
                "IdPSchema", "IdPServer", "IdPSignOut", "IdPSigningKeys", "JWT", "SQLiteStorage", "SSOShared", "SSOWeb",
                "Storage", hummingbird,
            ],
            path: "Tests/SSOTests/Protocols",
            swiftSettings: testSettings),
        .testTarget(
            name: "RelyingPartyTests",
            dependencies: [
                "TestKit", "WebTestKit", "Counterparts", "IdPTestKit", "ProbeKit", "IdPProviders", "RelyingParty",
                "SQLiteStorage",
                "SSOClient", "SSOShared", "SSOWeb", "Storage",
            ],
            path: "Tests/SSOTests/RelyingParty",
            swiftSettings: testSettings),
        .testTarget(
            name: "PasskeyTests",
            dependencies: [
                "TestKit", "WebTestKit", "Counterparts", "IdPTestKit", "ProbeKit", "IdP", "IdPAccounts", "IdPClients",
                "IdPFlow", "IdPOIDC", "IdPOperations", "IdPPasskeys", "IdPProviders", "IdPSSO", "IdPServer",
                "IdPSignOut", "JWT", "SSOShared", "SSOWeb", "Storage", "WebAuthn",
            ],
            path: "Tests/SSOTests/Passkeys",
            swiftSettings: testSettings),
        .testTarget(
            name: "SignInTests",
            dependencies: [
                "TestKit", "WebTestKit", "Counterparts", "IdPTestKit", "ProbeKit", "IdP", "IdPAccounts",
                "IdPAuthorization", "IdPClients", "IdPFlow", "IdPMail", "IdPOperations", "IdPProviderSignIn",
                "IdPProviders", "IdPSchema", "IdPSignIn", "IdPSignOut", "JWT", "SQLiteStorage", "SSOClient",
                "SSOShared", "SSOWeb", "Storage",
            ],
            path: "Tests/SSOTests/SignIn",
            swiftSettings: testSettings),

        // One of each kind with real processes.
        .testTarget(
            name: "SmokeTests",
            dependencies: [
                "TestKit", "Counterparts", "IdPTestKit", "IdP", "IdPOIDC", "IdPProviders", "RelyingParty", "SSOShared",
                "SSOWeb", "WellKnownTool",
            ],
            path: "Tests/DeploymentTests/Smoke",
            swiftSettings: testSettings),
        .testTarget(
            name: "WellKnownToolTests",
            dependencies: ["CommandLines", "TestKit", "SSOShared", "ThisBuild", "WellKnown", "WellKnownTool"],
            path: "Tests/WellKnownTests/WellKnownTool",
            swiftSettings: testSettings),

        // Real processes, proxies, disks, scripts, documents, browsers.
        .testTarget(
            name: "DeploymentTests",
            dependencies: [
                "TestKit", "WebTestKit", "Counterparts", "IdPTestKit", "IdP", "IdPApps", "IdPInboundMail", "IdPMail",
                "IdPSchema", "IdPServer", "RelyingParty", "RelyingPartyExample", "SQLiteStorage", "SSOClient",
                "SSONative", "SSOShared", "SSOWeb", "Storage", "WellKnown", "WellKnownTool", arguments, hummingbird,
                logging,
            ],
            path: "Tests/DeploymentTests/Programs",
            swiftSettings: testSettings),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "TestKit", "WebTestKit", "Counterparts", "IdPTestKit", "ProbeKit", "IdP", "IdPOIDC", "IdPProviders",
                "IdPSchema", "IdPServer", "IdPSignIn", "PostgresStorage", "RelyingParty", "SQLiteStorage", "SSOShared",
                "SSOWeb", "Storage", "WellKnownTool", arguments,
            ],
            path: "Tests/DeploymentTests/Commands",
            swiftSettings: testSettings),
        .testTarget(
            name: "DeployTests",
            dependencies: [
                "TestKit", "Counterparts", "IdPTestKit", "IdP", "IdPAccountPages", "IdPAccounts", "IdPApps",
                "IdPAuthorization", "IdPClients", "IdPFlow", "IdPGate", "IdPInboundMail", "IdPMail", "IdPOIDC",
                "IdPOperations", "IdPPasskeys", "IdPProviderSignIn", "IdPProviders", "IdPSSO", "IdPServer", "IdPSignIn",
                "IdPSignOut", "IdPSigningKeys", "RelyingParty", "SSOShared", "SSOWeb", "Storage", "WebAuthn",
                "WellKnownTool", logging,
            ],
            path: "Tests/DeploymentTests/Deploy",
            swiftSettings: testSettings),
        .testTarget(
            name: "JourneyTests",
            dependencies: [
                "TestKit", "WebTestKit", "Counterparts", "IdPTestKit", "ProbeKit", "IdP", "IdPOIDC", "IdPProviders",
                "IdPSchema", "IdPServer", "RelyingParty", "RelyingPartyExample", "SQLiteStorage", "SSONative",
                "SSOShared", "SSOWeb", "Storage", "ThisBuild", "WellKnownTool", httpTypes, hummingbird, logging,
                nioCore,
            ],
            path: "Tests/DeploymentTests/Journeys",
            swiftSettings: testSettings),
    ]
)

// script/test builds only the tests it runs: SSO_TEST_TARGETS names them, with the kits that they import. No test needs a bench.
if let names = Context.environment["SSO_TEST_TARGETS"]?.split(separator: ",") {
    let benches = ["Bench", "WellKnownBench"]
    package.targets.removeAll {
        $0.type == .test ? !names.contains(Substring($0.name)) : benches.contains($0.name)
    }
}
