import Foundation

/// Reads a file that somebody named in a setting.
public enum BoundedFile {
    /// The file's bytes; nil when it cannot be read, is no file, or is longer than `limit`.
    public static func read(_ path: String, upTo limit: Int) -> [UInt8]? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        guard let data = try? file.read(upToCount: limit + 1), data.count <= limit else { return nil }
        return Array(data)
    }
}
