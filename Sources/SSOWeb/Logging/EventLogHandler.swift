import Foundation
public import Logging
import SSOShared

/// Writes one line per event to standard error: plain text, or a JSON object with `LOG_FORMAT=json`.
///
/// Escapes all values, so that a name with a line break cannot look like a second event.
public struct EventLogHandler: LogHandler {
    /// The form of a line.
    public enum Format: String, Sendable { case text, json }

    /// What is the same for all lines of a program. An object, so that a handler fits where `Logger` keeps it without
    /// memory of its own: each request has its own copies of the handler.
    private final class Form: Sendable {
        let label: String
        let format: Format
        let hasPriorities: Bool
        /// Nil where nobody reads metrics.
        let counts: (any EventCounting)?

        init(label: String, format: Format, hasPriorities: Bool, counts: (any EventCounting)? = nil) {
            (self.label, self.format, self.hasPriorities, self.counts) = (label, format, hasPriorities, counts)
        }
    }

    public var metadata: Logger.Metadata = [:]
    public var logLevel: Logger.Level = .info
    private var form: Form
    private static let ownFields: Set<String> = ["time", "level", "program", "event"]
    /// The modules of the web framework.
    private static let framework: Set<String> = ["Hummingbird", "HummingbirdCore"]
    /// Bytes for one line. Few lines are longer.
    private static let usualLength = 384

    /// A handler for the program called `label`.
    ///
    /// - Parameter hasPriorities: whether each line begins with its priority, for the systemd journal.
    public init(label: String, format: Format, hasPriorities: Bool = false) {
        form = Form(label: label, format: format, hasPriorities: hasPriorities)
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        form.counts?.count(event)
        guard Self.isWritten(event) else { return }
        LogWriter.standardError.append(line(for: event))
    }

    /// Whether an event becomes a line. The framework's sentences at `info` do not: "Server started" is `listening`. Nor does that
    /// a listener was cancelled: what has ended it is `startup_failed`.
    static func isWritten(_ event: LogEvent) -> Bool {
        guard framework.contains(event.source) else { return true }
        return event.level != .info && !event.message.description.hasSuffix("CancellationError()")
    }

    /// One line, including its end.
    func line(for event: LogEvent) -> String {
        var line = ""
        line.reserveCapacity(Self.usualLength)
        if form.hasPriorities { line += JournalStream.prefix(event.level) }
        let now = PlainDate.rfc3339(Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)))
        switch form.format {
        case .text:
            line += now
            line += " "
            line += event.level.rawValue
            line += " "
            line += LogEscape.text(event.message.description)
            for (key, value) in fields(of: event) {
                line += " "
                line += LogEscape.bare(key)
                line += "="
                LogEscape.appendQuotedIfNeeded(value.description, to: &line)
            }
            line += "\n"
        case .json:
            line += "{\"time\":"
            LogEscape.appendJSON(now, to: &line)
            line += ",\"level\":"
            LogEscape.appendJSON(event.level.rawValue, to: &line)
            line += ",\"program\":"
            LogEscape.appendJSON(form.label, to: &line)
            line += ",\"event\":"
            LogEscape.appendJSON(event.message.description, to: &line)
            for (key, value) in fields(of: event) {
                line += ","
                // A field with the name of a standard field must not replace it or repeat a key.
                LogEscape.appendJSON(Self.ownFields.contains(key) ? "_\(key)" : key, to: &line)
                line += ":"
                value.appendJSON(to: &line)
            }
            line += "}\n"
        }
        return line
    }

    /// The fields of the logger and of the event, sorted by name. Of two with one name, the event's counts.
    private func fields(of event: LogEvent) -> [(key: String, value: Logger.MetadataValue)] {
        let own = event.metadata ?? [:]
        var fields: [(key: String, value: Logger.MetadataValue)] = []
        fields.reserveCapacity(own.count + metadata.count)
        for field in own { fields.append(field) }
        for field in metadata where own[field.key] == nil { fields.append(field) }
        fields.sort { $0.key < $1.key }
        return fields
    }
}

extension EventLogHandler: EventCounter {
    package func count(_ event: Event) { form.counts?.count(event) }

    package func counting(_ counts: any EventCounting) -> EventLogHandler {
        var handler = self
        handler.form = Form(label: form.label, format: form.format, hasPriorities: form.hasPriorities, counts: counts)
        return handler
    }
}

extension Logger.MetadataValue {
    /// A count, a status, a time or a port: a number in JSON. Texts that only look like a number, such as ids, stay texts.
    public static func number(_ value: some BinaryInteger) -> Self { .stringConvertible(Int(clamping: value)) }

    /// Adds the value to a JSON line.
    fileprivate func appendJSON(to line: inout String) {
        if case .stringConvertible(let value) = self, let number = value as? Int {
            line += String(number)
        } else {
            LogEscape.appendJSON(description, to: &line)
        }
    }
}

/// Detects the systemd journal, which reads a priority at the beginning of each line.
enum JournalStream {
    /// Whether the descriptor is the journal.
    ///
    /// - Parameter value: `JOURNAL_STREAM`, the journal's `DEVICE:INODE` (systemd.exec(5)). A child process with
    ///   redirected output inherits the variable too, so it must match the descriptor.
    static func isConnected(to descriptor: Int32, _ value: String?) -> Bool {
        var status = stat()
        guard let value, fstat(descriptor, &status) == 0 else { return false }
        return value == "\(status.st_dev):\(status.st_ino)"
    }

    /// The priority of a level as a prefix (sd-daemon(3), syslog(3)).
    static func prefix(_ level: Logger.Level) -> String {
        switch level {
        case .trace, .debug: "<7>"
        case .info: "<6>"
        case .notice: "<5>"
        case .warning: "<4>"
        case .error: "<3>"
        case .critical: "<2>"
        }
    }
}
