package import Logging

/// A kind of thing that happens: what its line in the log has, whether the audit log records it, what it counts, and what to do
/// about it. One value for each, in the list of its target. Log, audit log, metrics, docs/events.md and a user's activity are
/// made from it.
package final class EventKind: Sendable {
    /// Where an event is recorded beside its line and its counter. The text says, for docs/events.md, what a row has beside
    /// moment, event, actor and account.
    package enum Recording: Sendable {
        /// In the log alone.
        case line
        /// A row of the audit log, in the transaction of what happened.
        case row(String)
        /// A row of what a visitor without an account can cause. Beyond ``EventKind/countedAs`` so many rows in an hour, events
        /// are counted and have no row, so that a flood of them cannot fill the disk.
        case refusal(String)
    }

    /// Stable, in `snake_case`: `token_redeemed`. The same in the log, the audit log and the metrics.
    package let id: String
    /// The level of its line. Nil for an event that only the audit log has: of a command, which has no log.
    package let level: Logger.Level?
    package let recording: Recording
    /// The fields of its line that come from ``Event``'s own properties.
    package let line: [EventField]
    /// What its counter is counted by beside ``causes``.
    package let labels: [EventLabel]
    /// Every value that `cause` can have, where these are ids from a list; empty for an error's own words.
    package let causes: [EventCause]
    /// The text of the user's activity page.
    package let user: Text?
    /// What it means, and what to do, for docs/events.md.
    package let help: String
    /// The id of the event that it is counted with in a flood.
    package let countedAs: String

    package init(
        _ id: String, _ level: Logger.Level?, _ recording: Recording = .line, line: [EventField] = [],
        by labels: [EventLabel] = [], causes: [EventCause] = [], user: Text? = nil, countedAs: String? = nil,
        _ help: String
    ) {
        (self.id, self.level, self.recording, self.line) = (id, level, recording, line)
        (self.labels, self.causes, self.user, self.help) = (labels, causes, user, help)
        self.countedAs = countedAs ?? id
    }

    /// What its line calls the cause: `cause`, or `reason`.
    package var causeField: String { line.first(where: \.isCause)?.name ?? "cause" }

    /// Whether the audit log has rows of it.
    package var hasRow: Bool {
        switch recording {
        case .line: false
        case .row, .refusal: true
        }
    }

    /// Whether a visitor without an account can cause it.
    package var isOfVisitors: Bool {
        if case .refusal = recording { true } else { false }
    }
}

extension EventKind: Hashable {
    package static func == (one: EventKind, other: EventKind) -> Bool { one.id == other.id }
    package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// Why an event happened: a stable id, and the way out.
package struct EventCause: Sendable {
    package let id: String
    /// The level of the line, where it is not that of the kind.
    package let level: Logger.Level?
    /// What it means, and what to do.
    package let remedy: String

    package init(_ id: String, _ level: Logger.Level? = nil, remedy: String) {
        (self.id, self.level, self.remedy) = (id, level, remedy)
    }

    package init(_ id: String, _ remedy: String) { self.init(id, nil, remedy: remedy) }

    /// What can be wrong with each field of a request, by its name.
    ///
    /// - Parameter required: those that must be sent.
    package static func ofFields(_ names: [String], required: [String]) -> [EventCause] {
        required.map { EventCause("\($0)_missing", "Send `\($0)`.") }
            + names.flatMap {
                [
                    EventCause("\($0)_too_long", "Send a shorter `\($0)`."),
                    EventCause("\($0)_repeated", "`\($0)` was sent more than once."),
                    EventCause("\($0)_malformed", "`\($0)` cannot be read: encode it as its text, in UTF-8."),
                ]
            }
    }
}

/// A field of a line that comes from a property of ``Event``.
package struct EventField: Sendable {
    let value: @Sendable (Event) -> String?
    /// The name in the line.
    package let name: String
    /// Whether the line has it also without a value, as `-`.
    package var isAlwaysThere = false
    /// Whether it is the cause, by whatever name.
    var isCause = false

    package static let account = EventField(value: { $0.account }, name: "account")
    /// The account, as a relying party calls it.
    package static let user = EventField(value: { $0.account }, name: "user")
    package static let client = EventField(value: { $0.client }, name: "client")
    package static let session = EventField(value: { $0.session }, name: "session")
    package static let flow = EventField(value: { $0.flow }, name: "flow")
    /// `cause`, or another name that was released.
    package static func cause(_ name: String = "cause") -> EventField {
        EventField(value: { $0.cause }, name: name, isCause: true)
    }
    package static let reason = cause("reason")
    /// ``Event/detail`` by its name in the line.
    package static func detail(_ name: String = "detail") -> EventField {
        EventField(value: { $0.detail }, name: name)
    }

    package var orDash: EventField {
        var field = self
        field.isAlwaysThere = true
        return field
    }
}

/// A label of an event's counter. Its values come from a list, so that nobody can make series without end.
package struct EventLabel: Sendable {
    let value: @Sendable (Event) -> String?
    package let name: String
    package let values: [String]
    /// What stands for every value that is not in the list.
    package var others = "other"

    package static func detail(_ name: String, _ values: [String], others: String = "other") -> EventLabel {
        EventLabel(value: { $0.detail }, name: name, values: values, others: others)
    }

    /// A further field of the line.
    package static func field(_ name: String, _ values: [String]) -> EventLabel {
        EventLabel(value: { $0.further[name]?.description }, name: name, values: values)
    }

    /// How many choices there are: no value, the values of the list, and all others.
    var choices: Int { values.count + 2 }

    /// The choice of an event: 0 for no value.
    func choice(_ event: Event) -> Int {
        guard let value = value(event) else { return 0 }
        return (values.firstIndex(of: value) ?? values.count) + 1
    }

    /// The text of a choice; nil for no value.
    func text(_ choice: Int) -> String? {
        guard choice > 0 else { return nil }
        return choice > values.count ? others : values[choice - 1]
    }
}
