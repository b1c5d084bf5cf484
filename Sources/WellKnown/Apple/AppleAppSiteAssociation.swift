import SSOShared

/// The file `/.well-known/apple-app-site-association`. It defines which links of the site open which app on Apple's
/// systems, and which apps may use the passwords and passkeys saved for the site.
///
/// Source: Apple, "Supporting associated domains".
public struct AppleAppSiteAssociation: Hashable, Sendable {
    /// The path from which devices and Apple's CDN request the file.
    public static let path = "/.well-known/apple-app-site-association"

    /// The apps, at least one.
    public let appIDs: [AppleAppID]
    /// Patterns of the paths that open the app, in order. `*` matches any text.
    public let paths: [String]
    /// Patterns of the paths that stay in the browser even if one of ``paths`` matches.
    public let excludes: [String]
    /// Whether the file also contains the rules in the form for iOS 12 and older.
    public let hasLegacyPaths: Bool
    /// Whether the apps may use the passwords and passkeys saved for the site.
    public let sharesCredentials: Bool

    /// - Returns: `nil` without an app or without a path. No file is published then, because an empty list is a valid
    ///   file without apps, and Apple's CDN keeps it for a day.
    public init?(
        appIDs: [AppleAppID], paths: [String], excludes: [String] = [], hasLegacyPaths: Bool = false,
        sharesCredentials: Bool = true
    ) {
        guard !appIDs.isEmpty, !paths.isEmpty else { return nil }
        self.appIDs = appIDs
        self.paths = paths
        self.excludes = excludes
        self.hasLegacyPaths = hasLegacyPaths
        self.sharesCredentials = sharesCredentials
    }

    /// Returns the file's bytes, equal for equal input. The file claims only ``paths``. With a catch-all `*`, the app
    /// would also open pages that belong in the browser, such as a client's callback.
    public func json() -> [UInt8] {
        let legacy = hasLegacyPaths ? legacyEntries : []
        return document(details: [entry] + legacy).bytes
    }

    /// The file as iOS 12 and older see it: only the entries in the legacy form.
    func legacyJSON() -> [UInt8] { document(details: legacyEntries).bytes }

    private func document(details: [AssociationJSON]) -> AssociationJSON {
        // iOS 12 and older reject a file without this list.
        let apps: AssociationJSON = hasLegacyPaths ? ["apps": []] : [:]
        return .joined(
            ["applinks": .joined(apps, ["details": .array(details)])],
            sharesCredentials ? ["webcredentials": ["apps": appList]] : [:])
    }

    private var appList: AssociationJSON { .array(appIDs.map { .string($0.description) }) }

    /// The first rule that matches decides, so excludes come first.
    private var entry: AssociationJSON {
        let kept: [AssociationJSON] = excludes.map { ["/": .string($0), "exclude": true] }
        return ["appIDs": appList, "components": .array(kept + paths.map { ["/": .string($0)] })]
    }

    /// Separate entries for the legacy form. Apple's TN3155 warns against both forms in one entry.
    private var legacyEntries: [AssociationJSON] {
        let patterns = AssociationJSON.array(excludes.map { .string("NOT \($0)") } + paths.map { .string($0) })
        return appIDs.map { ["appID": .string($0.description), "paths": patterns] }
    }
}

/// An app on Apple's systems: the team's prefix, a dot, and the bundle identifier, as in `ABCDE12345.com.example.app`.
///
/// Source: Apple, "Supporting associated domains" (`appIDs` of `applinks`, `apps` of `webcredentials`).
public struct AppleAppID: Hashable, Sendable, CustomStringConvertible {
    /// Ten upper-case ASCII letters and digits.
    public let teamID: String
    /// At least one label of ASCII letters, digits and hyphens. Labels are joined by dots.
    public let bundleID: String

    /// The complete identifier, as in the file.
    public var description: String { "\(teamID).\(bundleID)" }

    /// Reads one app id without trimming.
    ///
    /// - Throws: ``AssociationError/appleAppID(item:reason:)`` with the reason.
    public init(_ text: String) throws(AssociationError) {
        func refused(_ reason: String) -> AssociationError { .appleAppID(item: text, reason: reason) }

        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let team = parts.first, parts.count > 1 else { throw refused("there is no dot after the team id") }
        guard team.count == 10, team.allSatisfy({ $0.isASCIIUpper || $0.isASCIIDigit }) else {
            throw refused("the team id before the first dot must be 10 upper-case letters and digits")
        }
        for part in parts.dropFirst() {
            guard !part.isEmpty else { throw refused("the bundle id has an empty part") }
            // `*` is rejected too. A wildcard would trust every app of the team, and iOS ignores it.
            guard part.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }) else {
                throw refused("the bundle id may hold ASCII letters, digits, dots and hyphens only")
            }
        }
        guard text.utf8.count <= 10 + 1 + 155 else { throw refused("the bundle id is longer than 155 characters") }
        teamID = String(decoding: team, as: UTF8.self)
        bundleID = String(decoding: text.utf8.dropFirst(team.count + 1), as: UTF8.self)
    }

    /// Reads a comma-separated list, as in `IDP_APPLE_APP_IDS`. A blank text results in an empty list.
    ///
    /// - Throws: ``AssociationError`` for each item that is empty, ill-formed or listed twice.
    public static func list(_ text: String) throws(AssociationError) -> [AppleAppID] {
        try AssociationList.read(text, name: \.description) { item throws(AssociationError) in try AppleAppID(item) }
    }
}
