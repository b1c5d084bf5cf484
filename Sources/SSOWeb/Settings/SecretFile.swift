import Foundation

/// Reads a secret from a file. The value never goes into a message.
public enum SecretFile {
    /// A secret is no book.
    private static let longest = 65536

    /// The file's text, or nil after `problem` was told why not, with the setting and the path. At most 64 KiB are read.
    public static func read(_ path: String, setting: String, problem: (String) -> Void) -> String? {
        guard let file = FileHandle(forReadingAtPath: path) else {
            problem("\(setting): cannot read the file \(path). Check the path and the permissions.")
            return nil
        }
        defer { try? file.close() }
        let data: Data
        // At its end a file has no data at all.
        do { data = try file.read(upToCount: longest + 1) ?? Data() } catch {
            problem("\(setting): cannot read the file \(path). Check that it is a file, and the permissions.")
            return nil
        }
        guard data.count <= longest else {
            problem("\(setting): the file \(path) is over 64 KiB.")
            return nil
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            problem("\(setting): the file \(path) is not text in UTF-8.")
            return nil
        }
        guard !text.allSatisfy(\.isWhitespace) else {
            problem("\(setting): the file \(path) is empty.")
            return nil
        }
        return text
    }
}
