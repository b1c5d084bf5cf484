import Foundation
import WellKnown

/// Reads the certificates for the doctor. An unreadable file ends the command, because a partial diagnosis is misleading.
enum DoctorFiles {
    static func certificates(
        _ file: String, password: PasswordSource
    ) throws(ProjectFiles.ReadError) -> [AndroidDoctor.Certificate] {
        let data = try ProjectFiles.data(file)
        let reading: CertificateReading
        do throws(CertificateError) {
            reading = try CertificateFile.read(data) { () throws(CertificateError) in try password.read() }
        } catch {
            throw ProjectFiles.ReadError(file: file, reason: error.description)
        }
        // For a key store with several keys, and for a rotated key, each certificate is shown with its name.
        return reading.entries.filter { $0.role != .chain }.map { entry in
            let name = "\(URL(filePath: file).lastPathComponent), \(entry.alias ?? entry.role.rawValue)"
            return AndroidDoctor.Certificate(
                fingerprint: entry.certificate.fingerprint, place: name, file: file,
                isOnDevices: entry.role != .uploadKey, isFormer: entry.role == .formerSigner)
        }
    }
}
