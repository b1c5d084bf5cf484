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

/// Owns the rule which secrets are long enough and known all the same: words somebody meant to replace, and keys a hand
/// has typed (ASVS 13.2.3).
enum ExampleSecret {
    /// Words of documentation. Nothing that made 32 random bytes writes them.
    private static let words = [
        "changeme", "change-me", "change_me", "replaceme", "replace-me", "replace_me", "replace-this", "placeholder",
        "your-secret", "your_secret", "yoursecret", "correct-horse", "example",
    ]
    /// 32 random hex digits have fewer different ones less than once in a hundred million times.
    private static let fewestDifferentBytes = 6

    /// Whether it was copied from a page: refused wherever others can reach the program.
    static func isCopied(_ text: String) -> Bool {
        let small = text.lowercased()
        return words.contains { small.contains($0) }
    }

    /// Whether it is a pattern: treated alike.
    static func isPatterned(_ text: String) -> Bool { Set(text.utf8).count < fewestDifferentBytes }
}
