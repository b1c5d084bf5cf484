package import SSOWeb
import WellKnown

/// Whether the two association files let the apps that they name use the passkeys of a domain: `webcredentials` at Apple,
/// `delegate_permission/common.get_login_creds` at Android.
package enum PasskeyAssociations {
    /// What keeps apps from the passkeys, a line each for the operator; empty without apps.
    ///
    /// - Parameters:
    ///   - domain: the relying party ID. Phones look for the files there.
    ///   - host: that of the pages, where this program serves them.
    package static func warnings(_ values: SettingValues, domain: String, host: String) -> [String] {
        let files = [
            content(of: .aasa, values, AssociationSettings.apple).map {
                ("webcredentials", AssociationKind.aasa, shares($0))
            },
            content(of: .assetlinks, values, AssociationSettings.android)
                .map { (AssetLinks.getLoginCredentials, .assetlinks, linksCredentials($0)) },
        ].compactMap { $0 }
        var lines = files.filter { !$0.2 }.map { member, kind, _ in
            "\(kind.path) does not name \(member), so its apps cannot use the passkeys of \(domain). Add it for each app that signs users in."
        }
        if !files.isEmpty, domain != host {
            lines.append(
                "apps look for the association files of passkeys at \(domain), and this program serves them at \(host). Serve the same files at "
                    + files.map { "https://\(domain)\($0.1.path)" }.joined(separator: " and ") + ".")
        }
        return lines
    }

    private static func shares(_ file: [UInt8]) -> Bool {
        AASAFile(reading: file)?.webcredentials.value?.appIDs.isEmpty == false
    }

    private static func linksCredentials(_ file: [UInt8]) -> Bool {
        AssetLinksFile(reading: file)?.statements.contains {
            $0.relations.contains(AssetLinks.getLoginCredentials)
                && $0.target.value?.namespace.value == "android_app"
        } ?? false
    }

    /// Nil for a file that is not configured, and for one that is never served.
    private static func content(
        of kind: AssociationKind, _ values: SettingValues, _ setting: some ReadableSetting<AssociationSource>
    ) -> [UInt8]? {
        switch try? values[setting] {
        case .apps(let content): content
        case .file(let path): AssociationReading(path: path, kind: kind).content
        case nil, .some(AssociationSource.none): nil
        }
    }
}
