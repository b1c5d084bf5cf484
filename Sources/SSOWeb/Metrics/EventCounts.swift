import CoreMetrics
package import Logging
import Synchronization

/// Counts events by their kind, its labels and its causes.
///
/// All values come from the lists of the kinds, so that nobody can make series without end; an event of a kind that is not in
/// the list counts nowhere. A value that an event lacks is no label, which Prometheus takes for an empty one. An event that was
/// counted before costs no memory, and no lock that a scrape takes.
package final class EventCounts: EventCounting {
    private let kinds: [String: KindCounts]

    /// Events at warning and error, and those that are alerted on, begin at 0: `increase()` sees the first one, and a flood of other
    /// series cannot take their places.
    ///
    /// - Parameter alerted: the ids of events that alert rules name.
    package init(_ kinds: [EventKind], in registry: MetricsRegistry, alerted: Set<String> = []) {
        self.kinds = Dictionary(kinds.map { ($0.id, KindCounts($0, registry)) }) { first, _ in first }
        for kind in kinds where alerted.contains(kind.id) { self.kinds[kind.id]?.start(from: nil) }
        for level in [Logger.Level.error, .warning] {
            for kind in kinds { self.kinds[kind.id]?.start(from: level) }
        }
    }

    package func count(_ event: Event) { kinds[event.kind.id]?.count(event) }

    package func count(_ line: LogEvent) {
        guard line.file != Logger.fileOfEvents, let counts = kinds[line.message.description], counts.kind.level != nil
        else { return }
        let fields = line.metadata ?? [:]
        counts.count(Event(counts.kind, cause: (fields["cause"] ?? fields["reason"])?.description, fields))
    }
}

/// The counters of one kind. Each combination of choices has a number, in which the cause is the last digit.
private final class KindCounts: Sendable {
    let kind: EventKind
    private let registry: MetricsRegistry
    private let known = Mutex<[Int: Counter]>([:])

    init(_ kind: EventKind, _ registry: MetricsRegistry) { (self.kind, self.registry) = (kind, registry) }

    func count(_ event: Event) {
        var number = 0
        for label in kind.labels { number = number * label.choices + label.choice(event) }
        counter(number * causeChoices + causeChoice(event)).increment()
    }

    /// Makes the counters of a level and above; nil for all. Without labels that an event may lack.
    func start(from level: Logger.Level?) {
        let causes = startedCauses(from: level)
        guard !causes.isEmpty else { return }
        var numbers = [0]
        for label in kind.labels {
            numbers = numbers.flatMap { number in (1..<label.choices).map { number * label.choices + $0 } }
        }
        for number in numbers {
            for cause in causes { _ = counter(number * causeChoices + cause) }
        }
    }

    private func startedCauses(from level: Logger.Level?) -> [Int] {
        guard !kind.causes.isEmpty else { return isStarted(kind.level, from: level) ? [0] : [] }
        return kind.causes.indices.filter { isStarted(kind.causes[$0].level ?? kind.level, from: level) }.map { $0 + 1 }
    }

    private func isStarted(_ own: Logger.Level?, from level: Logger.Level?) -> Bool {
        guard let level else { return true }
        return own.map { $0 >= level } ?? false
    }

    /// No cause, those of the list, and another one.
    private var causeChoices: Int { kind.causes.count + 2 }

    private func causeChoice(_ event: Event) -> Int {
        // An error's own words are no label.
        guard let cause = event.cause, !kind.causes.isEmpty else { return 0 }
        return (kind.causes.firstIndex { $0.id == cause } ?? kind.causes.count) + 1
    }

    private func counter(_ number: Int) -> Counter {
        known.withLock { known in
            if let counter = known[number] { return counter }
            let counter = Counter(
                label: CommonMetrics.events.name, dimensions: dimensions(number), factory: registry)
            known[number] = counter
            return counter
        }
    }

    /// The labels that a number stands for.
    private func dimensions(_ number: Int) -> [(String, String)] {
        let (rest, cause) = number.quotientAndRemainder(dividingBy: causeChoices)
        var dimensions: [(String, String)] = []
        if cause > 0 { dimensions = [("cause", cause > kind.causes.count ? "other" : kind.causes[cause - 1].id)] }
        var labels = rest
        for label in kind.labels.reversed() {
            let (more, choice) = labels.quotientAndRemainder(dividingBy: label.choices)
            if let text = label.text(choice) { dimensions.insert((label.name, text), at: 0) }
            labels = more
        }
        return [("event", kind.id)] + dimensions
    }
}
