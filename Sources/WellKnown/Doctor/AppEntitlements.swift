/// What an app on Apple's systems is entitled to, of what links need.
///
/// Sources: Apple, "Associated Domains Entitlement", "application-identifier", TN3125 "Inside Code Signing:
/// Provisioning Profiles".
public struct AppEntitlements: Sendable, Hashable {
    /// `PREFIX.bundle.id`; `nil` in a project's own file, where Xcode fills it in. May end with `*` in a profile.
    public let applicationIdentifier: String?
    public let teamIdentifier: String?
    /// The values of `com.apple.developer.associated-domains`; `nil` when the key is absent.
    public let associatedDomains: [AssociatedDomain]?
    /// The value is one string and no list: the system reads lists only.
    public let hasLoneDomain: Bool
    /// True in builds for development.
    public let isDebuggable: Bool?

    /// The key of the capability.
    public static let associatedDomainsKey = "com.apple.developer.associated-domains"

    public init(_ list: PropertyList) {
        // iOS writes the one, macOS the other.
        let identifier = (list["application-identifier"] ?? list["com.apple.application-identifier"])?.string
        // $(AppIdentifierPrefix) in a project's own file: Xcode fills it in.
        applicationIdentifier = identifier.flatMap { $0.contains("$(") ? nil : $0 }
        teamIdentifier = list["com.apple.developer.team-identifier"]?.string
        associatedDomains = list[Self.associatedDomainsKey].map { $0.strings ?? [] }?.map(AssociatedDomain.init)
        hasLoneDomain = list[Self.associatedDomainsKey]?.string != nil
        isDebuggable = (list["get-task-allow"] ?? list["com.apple.security.get-task-allow"])?.bool
    }

    /// Reads a project's `.entitlements` file, or what `codesign -d --entitlements` prints of a signed app.
    ///
    /// - Throws: ``ProjectFileFault``.
    public init(reading bytes: some Sequence<UInt8>) throws(ProjectFileFault) {
        var bytes = Array(bytes)
        // codesign without --xml puts the header of the signature's blob before the list: a magic number and a length.
        if bytes.starts(with: [0xfa, 0xde, 0x71, 0x71]) { bytes.removeFirst(min(8, bytes.count)) }
        let list = try PropertyList(reading: bytes)
        guard list.dictionary != nil else { throw ProjectFileFault("the property list is no dictionary") }
        self.init(list)
    }
}
