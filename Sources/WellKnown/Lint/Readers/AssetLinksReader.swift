public import SSOShared

/// A program that reads assetlinks.json. They agree on sound files only.
///
/// Sources: the Digital Asset Links specification and its compatibility suite (Google's service); AOSP,
/// packages/services StatementService; Chromium, digital_asset_links_handler.cc; Mozilla android-components,
/// StatementApi.kt; duckduckgo/Android, AssetLinksLoader.kt.
public enum AssetLinksReader: String, Sendable, Hashable, CaseIterable {
    /// The Digital Asset Links API, and what asks it: the password manager, the Play Console.
    case google
    /// The App Links verifier of Android 11 and older.
    case android11
    /// The App Links verifier of Android 12 and later.
    case android12
    /// Trusted Web Activities and Custom Tabs.
    case chrome
    /// Trusted Web Activities and autofill.
    case firefox
    /// Autofill.
    case duckDuckGo = "duckduckgo"

    /// For people.
    public var name: String {
        switch self {
        case .google: "Google's API"
        case .android11: "Android 11 and older"
        case .android12: "Android 12 and later"
        case .chrome: "Chrome"
        case .firefox: "Firefox"
        case .duckDuckGo: "DuckDuckGo"
        }
    }

    /// Whether it ever asks for a relation.
    public func asks(for relation: String) -> Bool {
        switch self {
        case .google: true
        case .android11, .android12: relation == RelationNames.handleAllURLs
        case .chrome, .firefox: relation == RelationNames.handleAllURLs || relation == RelationNames.useAsOrigin
        case .duckDuckGo: relation == RelationNames.handleAllURLs || relation == RelationNames.getLoginCredentials
        }
    }

    /// What it wants of the server's answer: what the file's content cannot show.
    public var serving: String {
        switch self {
        case .google: "application/json, no redirect"
        case .android11: "no redirect, within 5 s, up to 1 MiB; one host that fails makes all hosts of the app fail"
        case .android12: "no redirect, within 5 s, up to 1 MiB"
        case .chrome: "status 200"
        case .firefox: "a content type that contains application/json"
        case .duckDuckGo: "nothing beyond a success"
        }
    }

    /// How it follows `include`.
    public var includes: String {
        switch self {
        case .google: "ten in all"
        case .android11, .android12: "one level"
        case .chrome: "not at all"
        case .firefox: "all"
        case .duckDuckGo: "drops a list that has one"
        }
    }
}

/// What one reader makes of one app.
public struct ReaderVerdict: Sendable, Hashable {
    public enum Outcome: String, Sendable, Hashable {
        case works
        /// The app is not linked.
        case refused = "does not work"
        /// The reader drops the whole list, for a fault that may be in a statement about another app.
        case listVoid = "list void"
        /// The reader never asks for the relation.
        case notAsked = "not asked"
    }

    public let reader: AssetLinksReader
    public let outcome: Outcome
    /// False where it follows from how the reader's libraries behave, and was not seen.
    public let isSure: Bool
    /// Why, in one sentence.
    public let reason: String
    /// The statement at fault, or the one that works; from 0, `nil` when there is none.
    public let statement: Int?
    public let position: SourcePosition?
    public let pointer: String?
}
