import Logging
import Synchronization

@testable import SSOWeb

/// Everything a program logged, at every level, as it would appear on standard error.
final class CapturedLog: Sendable {
    private let lines = Mutex<[String]>([])
    private let events = Mutex<[Entry]>([])

    private struct Entry: Sendable {
        let program: String
        let event: LogEvent
        /// The fields of the logger.
        let fields: Logger.Metadata
    }

    var text: String { text(after: 0) }
    /// How many lines there are.
    var count: Int { lines.withLock { $0.count } }

    /// The lines after so many.
    func text(after count: Int) -> String { lines.withLock { $0.dropFirst(count).joined(separator: "\n") } }
    func contains(_ part: String) -> Bool { lines.withLock { $0.contains { $0.contains(part) } } }

    /// The lines as an operator reads them: with `LOG_FORMAT=json` and the level that is set where `LOG_LEVEL` is not.
    func json() -> [String] {
        events.withLock { $0 }.filter { $0.event.level >= .info && EventLogHandler.isWritten($0.event) }.map { entry in
            var handler = EventLogHandler(label: entry.program, format: .json)
            handler.metadata = entry.fields
            return handler.line(for: entry.event)
        }
    }

    func logger(_ label: String) -> Logger {
        var logger = Logger(label: label) { Handler(capture: self, program: $0) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: EventCounter {
        let capture: CapturedLog
        let program: String
        var counts: (any EventCounting)?
        var metadata: Logger.Metadata = [:]
        var metadataProvider: Logger.MetadataProvider?
        var logLevel: Logger.Level = .trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func count(_ event: Event) { counts?.count(event) }

        func counting(_ counts: any EventCounting) -> Handler {
            var handler = self
            handler.counts = counts
            return handler
        }

        func log(event: LogEvent) {
            counts?.count(event)
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            capture.lines.withLock { $0.append("\(event.level) \(event.message) \(all)") }
            capture.events.withLock { $0.append(Entry(program: program, event: event, fields: metadata)) }
        }
    }
}
