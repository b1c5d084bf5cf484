import Foundation
import SSOShared
import WellKnown

/// The entitlements of an app on Apple's systems that concern links.
///
/// Sources: Apple, "Associated Domains Entitlement", "application-identifier", TN3125 "Inside Code Signing:
/// Provisioning Profiles".
struct AppEntitlements: Sendable, Hashable {
    /// `PREFIX.bundle.id`. `nil` in a project's own file, where Xcode adds it. It can end with `*` in a profile.
    let applicationIdentifier: String?
    let teamIdentifier: String?
    /// The values of `com.apple.developer.associated-domains`, or `nil` if the key is absent.
    let associatedDomains: [AssociatedDomain]?
    /// Whether the value is one string instead of a list. The system reads only lists.
    let hasLoneDomain: Bool
    /// True for development builds.
    let isDebuggable: Bool?

    static let associatedDomainsKey = "com.apple.developer.associated-domains"

    /// - Parameters:
    ///   - values: the values of the build's placeholders, by name.
    ///   - positions: the places of the associated domains, in order, if they are known.
    init(_ list: PropertyList, filling values: [String: String] = [:], positions: [SourcePosition] = []) {
        // iOS uses the first key, macOS the second.
        let identifier = (list["application-identifier"] ?? list["com.apple.application-identifier"])?.string
            .map { BuildPlaceholder.filled($0, with: values) }
        // A project's own file contains $(AppIdentifierPrefix). Xcode replaces it.
        applicationIdentifier = identifier.flatMap { BuildPlaceholder.isIn($0) ? nil : $0 }
        teamIdentifier = list["com.apple.developer.team-identifier"]?.string
        associatedDomains = list[Self.associatedDomainsKey].map { $0.strings ?? [] }?.enumerated().map { index, raw in
            AssociatedDomain(
                BuildPlaceholder.filled(raw, with: values),
                at: positions.indices.contains(index) ? positions[index] : nil)
        }
        hasLoneDomain = list[Self.associatedDomainsKey]?.string != nil
        isDebuggable = (list["get-task-allow"] ?? list["com.apple.security.get-task-allow"])?.bool
    }

    /// The entitlements that Expo writes from a project's configuration.
    init(_ config: ExpoConfig) {
        let bundle = config.bundleIdentifier.flatMap { BuildPlaceholder.isIn($0) ? nil : $0 }
        applicationIdentifier = bundle.flatMap { bundle in config.teamIdentifier.map { "\($0).\(bundle)" } }
        teamIdentifier = config.teamIdentifier
        associatedDomains = config.domains
        hasLoneDomain = config.hasLoneDomain
        isDebuggable = nil
    }

    /// Reads a project's `.entitlements` file, or the output of `codesign -d --entitlements` for a signed app.
    init(reading bytes: some Sequence<UInt8>, filling values: [String: String] = [:]) throws(ProjectFileError) {
        var bytes = Array(bytes)
        // codesign without --xml writes the signature blob's header before the list: a magic number and a length.
        if bytes.starts(with: [0xfa, 0xde, 0x71, 0x71]) { bytes.removeFirst(min(8, bytes.count)) }
        let list = try PropertyList(reading: bytes)
        guard list.dictionary != nil else { throw ProjectFileError("the property list is not a dictionary") }
        self.init(list, filling: values, positions: Self.positions(in: bytes))
    }

    /// The places of the associated domains in the XML form. Empty for the binary form.
    private static func positions(in bytes: [UInt8]) -> [SourcePosition] {
        guard let root = try? ProjectXMLReader.read(bytes), let dictionary = root.children(named: "dict").first,
            let key = dictionary.children.firstIndex(where: { $0.name == "key" && $0.text == associatedDomainsKey }),
            dictionary.children.indices.contains(key + 1)
        else { return [] }
        let value = dictionary.children[key + 1]
        return value.name == "array" ? value.children(named: "string").map(\.position) : [value.position]
    }
}

/// A provisioning profile. It lists the capabilities that a build of the app can use.
///
/// Source: Apple, TN3125 "Inside Code Signing: Provisioning Profiles".
struct ProvisioningProfile: Sendable, Hashable {
    let teamIdentifiers: [String]
    let expires: Date?
    let entitlements: AppEntitlements

    /// Reads a profile as Apple delivers it, in a signed message, or as the property list from that message.
    ///
    /// - Throws: ``ProjectFileError`` if it is not a property list with `Entitlements`.
    init(reading bytes: [UInt8]) throws(ProjectFileError) {
        guard let content = bytes.first == 0x30 ? SignedMessage.content(of: bytes) : bytes else {
            throw ProjectFileError("this is not a provisioning profile: the signed message in it cannot be read")
        }
        let list = try PropertyList(reading: content)
        guard let entitlements = list["Entitlements"], entitlements.dictionary != nil else {
            throw ProjectFileError("the property list has no Entitlements: it is not a provisioning profile")
        }
        teamIdentifiers = list["TeamIdentifier"]?.strings ?? []
        expires = list["ExpirationDate"]?.date
        self.entitlements = AppEntitlements(entitlements)
    }
}
