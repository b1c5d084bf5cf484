import Foundation

/// Reads a secret from a file. The value never goes into a message.
public enum SecretFile {
    /// The file's text, or nil after `problem` was told why not. At most 64 KiB are read: a secret is no book.
    public static func read(_ path: String, setting: String, problem: (String) -> Void) -> String? {
        guard let file = FileHandle(forReadingAtPath: path) else {
            problem("\(setting): cannot read the file \(path). Check the path and the permissions.")
            return nil
        }
        defer { try? file.close() }
        guard let data = try? file.read(upToCount: 65537), data.count <= 65536 else {
            problem("\(setting): the file \(path) cannot be read, or is over 64 KiB.")
            return nil
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            problem("\(setting): the file \(path) is not text in UTF-8.")
            return nil
        }
        guard !text.isEmpty else {
            problem("\(setting): the file \(path) is empty. Put the value into it.")
            return nil
        }
        return text
    }
}
