import SSOShared

/// The identifier of an app on Apple's systems: the team's prefix, a dot, the bundle identifier, for example
/// `ABCDE12345.com.example.app`.
///
/// Source: Apple, "Supporting associated domains" (`appIDs` of `applinks`, `apps` of `webcredentials`).
public struct AppleAppID: Hashable, Sendable, CustomStringConvertible {
    /// Ten upper-case ASCII letters and digits.
    public let teamID: String
    /// At least one part, parts joined by dots; ASCII letters, digits and hyphens.
    public let bundleID: String

    /// The whole identifier, as it stands in the file.
    public var description: String { "\(teamID).\(bundleID)" }

    /// Reads one app id; nothing is trimmed.
    ///
    /// - Throws: ``AssociationFault/appleAppID(item:reason:)`` with the reason.
    public init(_ text: String) throws(AssociationFault) {
        func refused(_ reason: String) -> AssociationFault { .appleAppID(item: text, reason: reason) }

        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let team = parts.first, parts.count > 1 else { throw refused("there is no dot after the team id") }
        guard team.count == 10, team.allSatisfy({ $0.isASCIIUpper || $0.isASCIIDigit }) else {
            throw refused("the team id before the first dot must be 10 upper-case letters and digits")
        }
        for part in parts.dropFirst() {
            guard !part.isEmpty else { throw refused("the bundle id has an empty part") }
            // No `*` either: a wildcard would vouch for every app of the team, and phones ignore it anyway.
            guard part.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }) else {
                throw refused("the bundle id may hold ASCII letters, digits, dots and hyphens only")
            }
        }
        guard text.utf8.count <= 10 + 1 + 155 else { throw refused("the bundle id is longer than 155 characters") }
        teamID = String(decoding: team, as: UTF8.self)
        bundleID = String(decoding: text.utf8.dropFirst(team.count + 1), as: UTF8.self)
    }

    /// Reads a comma-separated list, as in `IDP_APPLE_APP_IDS`. A blank text is the empty list: not configured.
    ///
    /// - Throws: ``AssociationFault`` for each item that is empty, ill-formed or listed twice.
    public static func list(_ text: String) throws(AssociationFault) -> [AppleAppID] {
        try AssociationList.read(text, name: \.description) { item throws(AssociationFault) in try AppleAppID(item) }
    }
}
