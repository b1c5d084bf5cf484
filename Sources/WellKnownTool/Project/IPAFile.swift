import Foundation
import WellKnown

/// An iOS app archive: the entitlements of the app's signature, and its provisioning profile.
///
/// Layout: `Payload/NAME.app`; Apple, TN3126 "Inside Code Signing: Hashes" (the entitlements are a blob with the magic
/// number fade7171 in the signature of the executable).
struct IPAFile {
    let entitlements: AppEntitlements?
    let profile: ProvisioningProfile?
    /// The name of the app's folder.
    let app: String

    /// An executable is read up to this size.
    private static let maximumExecutable = 512 << 20

    /// - Returns: `nil` if the archive has no `Payload/NAME.app`.
    /// - Throws: ``ProjectFileError`` if a part cannot be read.
    init?(_ archive: ZipArchive) throws(ProjectFileError) {
        let names = archive.entries.map(\.name)
        guard
            let root = names.lazy.compactMap({ name -> String? in
                let parts = name.split(separator: "/", omittingEmptySubsequences: false)
                return parts.count > 2 && parts[0] == "Payload" && parts[1].hasSuffix(".app") ? String(parts[1]) : nil
            }).first
        else { return nil }
        app = root
        let profileBytes = try archive.contents(named: "Payload/\(root)/embedded.mobileprovision", limit: 16 << 20)
        profile = try profileBytes.map { bytes throws(ProjectFileError) in try ProvisioningProfile(reading: bytes) }
        let info = try archive.contents(named: "Payload/\(root)/Info.plist", limit: 16 << 20)
        let list = try info.map { bytes throws(ProjectFileError) in try PropertyList(reading: bytes) }
        let executable = list?["CFBundleExecutable"]?.string ?? String(root.dropLast(".app".count))
        let code = try archive.contents(named: "Payload/\(root)/\(executable)", limit: Self.maximumExecutable)
        entitlements = try code.flatMap { bytes throws(ProjectFileError) in try Self.entitlements(in: bytes) }
    }

    /// The blob of the entitlements: a magic number, its length, and a property list. The bytes may appear by chance, so
    /// the content must be a property list.
    private static func entitlements(in code: [UInt8]) throws(ProjectFileError) -> AppEntitlements? {
        let magic: [UInt8] = [0xfa, 0xde, 0x71, 0x71]
        var rest = code[...]
        while let found = rest.firstRange(of: magic) {
            let start = found.lowerBound
            rest = code[(start + 1)...]
            guard code.count - start > 8 else { break }
            let length = code[start + 4..<start + 8].reduce(0) { $0 << 8 | Int($1) }
            guard length > 8, length <= code.count - start else { continue }
            let list = code[start + 8..<start + length]
            guard
                list.starts(with: "<?xml".utf8) || list.starts(with: "<!DOCTYPE".utf8)
                    || list.starts(with: "<plist".utf8)
            else { continue }
            return try AppEntitlements(reading: list)
        }
        return nil
    }
}
