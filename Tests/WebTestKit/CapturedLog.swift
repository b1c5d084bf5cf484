import Logging
import Synchronization

/// Everything a program logged, at every level, as it would appear on standard error.
final class CapturedLog: Sendable {
    private let lines = Mutex<[String]>([])

    var text: String { text(after: 0) }
    /// How many lines there are.
    var count: Int { lines.withLock { $0.count } }

    /// The lines after so many.
    func text(after count: Int) -> String { lines.withLock { $0.dropFirst(count).joined(separator: "\n") } }
    func contains(_ part: String) -> Bool { lines.withLock { $0.contains { $0.contains(part) } } }

    func logger(_ label: String) -> Logger {
        var logger = Logger(label: label) { _ in Handler(capture: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let capture: CapturedLog
        var metadata: Logger.Metadata = [:]
        var metadataProvider: Logger.MetadataProvider?
        var logLevel: Logger.Level = .trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            capture.lines.withLock { $0.append("\(event.level) \(event.message) \(all)") }
        }
    }
}
