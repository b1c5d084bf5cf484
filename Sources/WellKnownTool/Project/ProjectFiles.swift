import Foundation
import WellKnown

/// Reads the files of an app's project and of its builds.
enum ProjectFiles {
    /// The reason why a file could not be read.
    struct ReadError: Error, CustomStringConvertible {
        let file: String
        let reason: String
        var description: String { "\(file.printable): \(reason.printable)" }
    }

    /// Larger than any project file. The linter has its own limit for the two files on the server.
    private static let maximumBytes = 64 << 20

    static func entitlements(
        _ file: String, filling values: [String: String] = [:]
    ) throws(ReadError) -> AppEntitlements {
        if let archive = try archive(file) {
            do throws(ProjectFileError) {
                guard let app = try IPAFile(archive) else {
                    throw ProjectFileError("this archive has no Payload/NAME.app, as an .ipa has")
                }
                guard let entitlements = app.entitlements else {
                    throw ProjectFileError("the signature of \(app.app) has no entitlements")
                }
                return entitlements
            } catch {
                throw ReadError(file: file, reason: error.description)
            }
        }
        let bytes = try bytes(file)
        do throws(ProjectFileError) {
            if let config = try ExpoConfig(reading: bytes, filling: values) { return AppEntitlements(config) }
            return try AppEntitlements(reading: bytes, filling: values)
        } catch {
            throw ReadError(file: file, reason: error.description)
        }
    }

    /// Reads a profile as Apple delivers it, in a signed message, or as the property list from that message.
    static func profile(_ file: String) throws(ReadError) -> ProvisioningProfile {
        if let archive = try archive(file) {
            do throws(ProjectFileError) {
                guard let profile = try IPAFile(archive)?.profile else {
                    throw ProjectFileError("this archive has no Payload/NAME.app/embedded.mobileprovision")
                }
                return profile
            } catch {
                throw ReadError(file: file, reason: error.description)
            }
        }
        let bytes = try bytes(file)
        let content = bytes.first == 0x30 ? SignedMessage.content(of: bytes) : bytes
        guard let content else {
            throw ReadError(
                file: file, reason: "this is not a provisioning profile: the signed message in it cannot be read")
        }
        do throws(ProjectFileError) { return try ProvisioningProfile(reading: content) } catch {
            throw ReadError(file: file, reason: error.description)
        }
    }

    static func manifest(_ file: String, filling values: [String: String] = [:]) throws(ReadError) -> AndroidManifest {
        var bytes: [UInt8]
        var isBundle = false
        if let archive = try archive(file) {
            // An APK has the compiled form, an app bundle that of its base module.
            let names = ["AndroidManifest.xml", "base/manifest/AndroidManifest.xml"]
            guard let entry = archive.entries.first(where: { names.contains($0.name) }) else {
                throw ReadError(file: file, reason: "this archive has no AndroidManifest.xml")
            }
            isBundle = entry.name == names[1]
            do { bytes = try archive.contents(of: entry, limit: 8 << 20) } catch {
                throw ReadError(file: file, reason: "its AndroidManifest.xml cannot be unpacked")
            }
        } else {
            bytes = try self.bytes(file)
        }
        do throws(ProjectFileError) {
            if isBundle { return try AndroidManifest(root: ProtoXML.read(bytes), filling: values) }
            if let config = try ExpoConfig(reading: bytes, filling: values) { return AndroidManifest(config) }
            return try AndroidManifest(reading: bytes, filling: values)
        } catch {
            throw ReadError(file: file, reason: error.description)
        }
    }

    /// The archive in a file, or `nil` if it is not a zip archive.
    private static func archive(_ file: String) throws(ReadError) -> ZipArchive? {
        let data = try data(file)
        guard data.starts(with: [0x50, 0x4b]) else { return nil }
        return try? ZipArchive(data)
    }

    static func bytes(_ file: String) throws(ReadError) -> [UInt8] { Array(try data(file, limit: maximumBytes)) }

    static func data(_ file: String, limit: Int = 4 << 30) throws(ReadError) -> Data {
        do throws(InputError) { return try InputBytes.read(file, limit: limit) } catch {
            throw ReadError(file: file, reason: error.description)
        }
    }
}
