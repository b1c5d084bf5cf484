import Foundation
import Glibc

/// The bytes of a file, or of standard input for `-`.
enum InputBytes {
    /// The largest APK a store takes is some gigabytes; standard input is held in memory.
    private static let largest = 4 << 30

    /// - Parameter limit: the most bytes that are taken; a larger file is refused.
    /// - Throws: ``CertificateFault/unreadable(_:)``.
    static func read(_ name: String, limit: Int = largest) throws(CertificateFault) -> Data {
        do {
            if name == "-" { return try stream(FileHandle.standardInput, limit: limit) }
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: name, isDirectory: &isFolder) else {
                throw CertificateFault.unreadable("there is no such file")
            }
            guard !isFolder.boolValue else { throw CertificateFault.unreadable("it is a folder") }
            // A pipe, as of a shell's `<(command)`, cannot be mapped.
            guard isRegular(name) else {
                guard let handle = FileHandle(forReadingAtPath: name) else {
                    throw CertificateFault.unreadable("it cannot be opened")
                }
                return try stream(handle, limit: limit)
            }
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

    private static func stream(_ handle: FileHandle, limit: Int) throws -> Data {
        let limit = min(limit, 512 << 20)
        let data = try handle.read(upToCount: limit + 1) ?? Data()
        guard data.count <= limit else { throw CertificateFault.unreadable("it is too large") }
        return data
    }

    private static func isRegular(_ name: String) -> Bool {
        var entry = stat()
        return stat(name, &entry) == 0 && entry.st_mode & S_IFMT == S_IFREG
    }
}
