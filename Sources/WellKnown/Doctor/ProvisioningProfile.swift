public import Foundation

/// A provisioning profile: what Apple lets a build of the app do.
///
/// Source: Apple, TN3125 "Inside Code Signing: Provisioning Profiles".
public struct ProvisioningProfile: Sendable, Hashable {
    public let name: String?
    public let uuid: String?
    public let teamIdentifiers: [String]
    /// The prefixes of its application identifier.
    public let prefixes: [String]
    public let expires: Date?
    public let entitlements: AppEntitlements

    /// Reads the property list inside a profile. The file around it is a signed message, which needs a library of
    /// cryptography to unwrap: that is the caller's.
    ///
    /// - Throws: ``ProjectFileFault`` when it is no property list, or one without `Entitlements`.
    public init(reading bytes: some Sequence<UInt8>) throws(ProjectFileFault) {
        let list = try PropertyList(reading: bytes)
        guard let entitlements = list["Entitlements"], entitlements.dictionary != nil else {
            throw ProjectFileFault("the property list has no Entitlements: it is no provisioning profile")
        }
        name = list["Name"]?.string
        uuid = list["UUID"]?.string
        teamIdentifiers = list["TeamIdentifier"]?.strings ?? []
        prefixes = list["ApplicationIdentifierPrefix"]?.strings ?? []
        expires = list["ExpirationDate"]?.date
        self.entitlements = AppEntitlements(entitlements)
    }
}
