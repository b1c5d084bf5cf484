import Foundation
import Glibc

/// Reads a file, or standard input for `-`.
enum InputBytes {
    /// App stores accept APKs of some gigabytes. Standard input is held in memory, so its limit is lower.
    static let largest = 4 << 30

    /// - Parameter limit: the maximum size. Larger files are rejected.
    static func read(_ name: String, limit: Int = largest) throws(InputError) -> Data {
        do {
            if name == "-" { return try stream(FileHandle.standardInput, limit: limit) }
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: name, isDirectory: &isFolder) else {
                throw InputError.unreadable("there is no such file")
            }
            guard !isFolder.boolValue else { throw InputError.unreadable("it is a folder; name the file in it") }
            // A pipe, for example from `<(command)` in a shell, cannot be mapped.
            guard isRegular(name) else {
                guard let handle = FileHandle(forReadingAtPath: name) else {
                    throw InputError.unreadable("it cannot be opened")
                }
                return try stream(handle, limit: limit)
            }
            // The file is memory-mapped, because only the end and some entries of an APK are read.
            let data = try Data(contentsOf: URL(fileURLWithPath: name), options: .alwaysMapped)
            guard data.count <= limit else { throw InputError.tooLarge(limit) }
            return data
        } catch let error as InputError {
            throw error
        } catch {
            throw InputError.unreadable("it cannot be opened")
        }
    }

    private static func stream(_ handle: FileHandle, limit: Int) throws -> Data {
        let limit = min(limit, 512 << 20)
        let data = try handle.read(upToCount: limit + 1) ?? Data()
        guard data.count <= limit else { throw InputError.tooLarge(limit) }
        return data
    }

    private static func isRegular(_ name: String) -> Bool {
        var entry = stat()
        return stat(name, &entry) == 0 && entry.st_mode & S_IFMT == S_IFREG
    }
}

/// An input cannot be read or checked. The program exits with 2.
struct InputError: Error, Equatable, CustomStringConvertible {
    let description: String

    static func unreadable(_ reason: String) -> InputError { InputError(description: "cannot read it: \(reason)") }

    static func tooLarge(_ limit: Int) -> InputError {
        unreadable("it is larger than " + (limit < 1 << 20 ? "\(limit >> 10) KiB" : "\(limit >> 20) MiB"))
    }
}
