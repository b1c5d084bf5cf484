import Foundation

/// The bytes of a file, or of standard input for `-`.
enum InputBytes {
    /// The largest APK a store takes is some gigabytes; standard input is held in memory.
    private static let largest = 4 << 30

    /// - Parameter limit: the most bytes that are taken; a larger file is refused.
    /// - Throws: ``CertificateFault/unreadable(_:)``.
    static func read(_ name: String, limit: Int = largest) throws(CertificateFault) -> Data {
        do {
            if name == "-" {
                let data = try FileHandle.standardInput.read(upToCount: min(limit, 512 << 20) + 1) ?? Data()
                guard data.count <= min(limit, 512 << 20) else { throw CertificateFault.unreadable("it is too large") }
                return data
            }
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: name, isDirectory: &isFolder) else {
                throw CertificateFault.unreadable("there is no such file")
            }
            guard !isFolder.boolValue else { throw CertificateFault.unreadable("it is a folder") }
            // Mapped: of an APK only its end and some entries are looked at.
            let data = try Data(contentsOf: URL(fileURLWithPath: name), options: .alwaysMapped)
            guard data.count <= limit else { throw CertificateFault.unreadable("it is too large") }
            return data
        } catch let fault as CertificateFault {
            throw fault
        } catch {
            throw .unreadable("it cannot be opened")
        }
    }
}
