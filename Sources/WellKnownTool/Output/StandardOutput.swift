import Foundation

/// Where results and complaints go.
enum StandardOutput {
    /// Writes all of it; a reader that went away is no fault of ours.
    static func write(_ text: String) { try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) }

    /// One line on standard error, under the program's name.
    static func complain(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data("wellknown: \(text)\n".utf8))
    }
}
