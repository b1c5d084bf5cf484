public import SSOShared

/// Why a file of a project (entitlements, profile, manifest) could not be read.
public struct ProjectFileFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// One sentence without its full stop; may quote the file.
    public let message: String
    /// Where; `nil` for what concerns the whole file, and in binary files.
    public let position: SourcePosition?

    public init(_ message: String, at position: SourcePosition? = nil) {
        self.message = message
        self.position = position
    }

    public var description: String { position.map { "\($0): \(message)" } ?? message }
}
