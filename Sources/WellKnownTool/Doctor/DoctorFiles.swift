import Foundation
import WellKnown

/// Reads the input files of the doctor. An unreadable file ends the command, because a partial diagnosis is misleading.
struct DoctorFiles {
    /// The reason why an input file could not be read.
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
        let bytes = try bytes(file)
        do throws(ProjectFileError) { return try AppEntitlements(reading: bytes, filling: values) } catch {
            throw ReadError(file: file, reason: error.description)
        }
    }

    /// Reads a profile as Apple delivers it, in a signed message, or as the property list from that message.
    static func profile(_ file: String) throws(ReadError) -> ProvisioningProfile {
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
        if let archive = try? ZipArchive(try data(file)) {
            guard let entry = archive.entries.first(where: { $0.name == "AndroidManifest.xml" }) else {
                throw ReadError(file: file, reason: "this archive holds no AndroidManifest.xml")
            }
            do { bytes = try archive.contents(of: entry, limit: 8 << 20) } catch {
                throw ReadError(file: file, reason: "its AndroidManifest.xml cannot be unpacked")
            }
        } else {
            bytes = try self.bytes(file)
        }
        do throws(ProjectFileError) { return try AndroidManifest(reading: bytes, filling: values) } catch {
            throw ReadError(file: file, reason: error.description)
        }
    }

    static func certificates(_ file: String, password: PasswordSource) throws(ReadError) -> [AndroidDoctor.Certificate]
    {
        let data = try data(file)
        let reading: CertificateReading
        do throws(CertificateError) {
            reading = try CertificateFile.read(data) { () throws(CertificateError) in try password.read() }
        } catch {
            throw ReadError(file: file, reason: error.description)
        }
        // For a key store with several keys, and for a rotated key, each certificate is shown with its name.
        return reading.entries.filter { $0.role != .chain }.map { entry in
            let name = "\(URL(filePath: file).lastPathComponent), \(entry.alias ?? entry.role.rawValue)"
            return AndroidDoctor.Certificate(
                entry.certificate.fingerprint, place: name, isOnDevices: entry.role != .uploadKey)
        }
    }

    static func bytes(_ file: String) throws(ReadError) -> [UInt8] { Array(try data(file, limit: maximumBytes)) }

    private static func data(_ file: String, limit: Int = 4 << 30) throws(ReadError) -> Data {
        do throws(InputError) { return try InputBytes.read(file, limit: limit) } catch {
            throw ReadError(file: file, reason: error.description)
        }
    }
}
