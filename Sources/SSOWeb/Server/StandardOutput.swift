import Foundation

/// What a program prints for the person who starts it, apart from its log.
public enum StandardOutput {
    /// Writes at once. What cannot be written is lost: nobody reads it then.
    public static func write(_ text: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }
}
