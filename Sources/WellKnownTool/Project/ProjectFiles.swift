import Foundation
import SSOShared
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
        try reading(file) { archive throws(ProjectFileError) in
            guard let app = try IPAFile(archive) else {
                throw ProjectFileError("this archive has no Payload/NAME.app, as an .ipa has")
            }
            guard let entitlements = app.entitlements else {
                throw ProjectFileError("the signature of \(app.app) has no entitlements")
            }
            return entitlements
        } or: { bytes throws(ProjectFileError) in
            if let config = try ExpoConfig(reading: bytes, filling: values) { return AppEntitlements(config) }
            return try AppEntitlements(reading: bytes, filling: values)
        }
    }

    static func profile(_ file: String) throws(ReadError) -> ProvisioningProfile {
        try reading(file) { archive throws(ProjectFileError) in
            guard let profile = try IPAFile(archive)?.profile else {
                throw ProjectFileError("this archive has no Payload/NAME.app/embedded.mobileprovision")
            }
            return profile
        } or: { bytes throws(ProjectFileError) in
            try ProvisioningProfile(reading: bytes)
        }
    }

    static func manifest(_ file: String, filling values: [String: String] = [:]) throws(ReadError) -> AndroidManifest {
        try reading(file) { archive throws(ProjectFileError) in
            try manifest(in: archive, filling: values)
        } or: { bytes throws(ProjectFileError) in
            if !BinaryXML.isBinary(bytes), let config = try ExpoConfig(reading: bytes, filling: values) {
                return AndroidManifest(config)
            }
            return try AndroidManifest(reading: bytes, filling: values)
        }
    }

    /// Reads what a finished build or a single file has.
    private static func reading<Content>(
        _ file: String, _ build: (ZipArchive) throws(ProjectFileError) -> Content,
        or single: ([UInt8]) throws(ProjectFileError) -> Content
    ) throws(ReadError) -> Content {
        let archive = try archive(file)
        let bytes = archive == nil ? try text(file) : []
        do throws(ProjectFileError) {
            if let archive { return try build(archive) }
            return try single(bytes)
        } catch {
            throw ReadError(file: file, reason: error.description)
        }
    }

    /// The manifest of a finished build, with the values of its own resources.
    private static func manifest(
        in archive: ZipArchive, filling values: [String: String]
    ) throws(ProjectFileError) -> AndroidManifest {
        // An APK has the compiled form, an app bundle that of its base module.
        let names =
            archive.isBundle
            ? ("base/manifest/AndroidManifest.xml", "base/resources.pb") : ("AndroidManifest.xml", "resources.arsc")
        guard let bytes = try archive.contents(named: names.0, limit: 8 << 20) else {
            throw ProjectFileError("this archive has no AndroidManifest.xml")
        }
        let table = try archive.contents(named: names.1, limit: maximumBytes)
        let resources = try table.map { table throws(ProjectFileError) in
            try archive.isBundle ? ResourceTable.read(bundle: table) : ResourceTable.read(table)
        }
        let filled = (resources ?? [:]).merging(values) { $1 }
        guard archive.isBundle else { return try AndroidManifest(reading: bytes, filling: filled) }
        return try AndroidManifest(root: ProtoXML.read(bytes), filling: filled)
    }

    /// Whether the file is an archive, such as an APK.
    static func isArchive(_ file: String) -> Bool { (try? archive(file)) != nil }

    static func device(_ file: String) throws(ReadError) -> DeviceReport {
        guard let report = DeviceReport(try text(file)) else {
            throw ReadError(
                file: file, reason: "this is neither the output of adb shell pm get-app-links nor swcutil_show.txt")
        }
        return report
    }

    /// The archive in a file, or `nil` if it is not a zip archive.
    private static func archive(_ file: String) throws(ReadError) -> ZipArchive? {
        let data = try data(file)
        guard data.starts(with: [0x50, 0x4b]) else { return nil }
        return try? ZipArchive(data)
    }

    static func bytes(_ file: String) throws(ReadError) -> [UInt8] { Array(try data(file, limit: maximumBytes)) }

    /// The bytes of a file. Text with a byte-order mark, as editors and PowerShell save it, is converted to UTF-8.
    static func text(_ file: String) throws(ReadError) -> [UInt8] {
        let bytes = try bytes(file)
        let marks: [[UInt8]] = [[0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xfe, 0xff]]
        guard marks.contains(where: bytes.starts) else { return bytes }
        let decoded = JSONEncoding.utf8(bytes)
        return decoded.isReadable ? decoded.text : bytes
    }

    static func data(_ file: String, limit: Int = 4 << 30) throws(ReadError) -> Data {
        do throws(InputError) { return try InputBytes.read(file, limit: limit) } catch {
            throw ReadError(file: file, reason: error.description)
        }
    }
}

extension ZipArchive {
    /// The unpacked bytes of the entry with this name. `nil` for another name.
    func contents(named name: String, limit: Int) throws(ProjectFileError) -> [UInt8]? {
        guard let entry = entries.first(where: { $0.name == name }) else { return nil }
        do { return try contents(of: entry, limit: limit) } catch {
            throw ProjectFileError("its \(name) cannot be unpacked")
        }
    }
}
