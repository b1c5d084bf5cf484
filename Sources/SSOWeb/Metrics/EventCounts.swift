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

    /// A kind that can be a warning or an error begins at 0, with other causes than those of its list: `increase()` sees the first
    /// event, and a flood of other series cannot take its place. Those that are alerted on begin with each cause. All others begin
    /// with their first event: most programs never count half of them, and each would take series of ``MetricsRegistry/limit``.
    ///
    /// - Parameter alerted: the ids of events that alert rules name.
    package init(_ kinds: [EventKind], in registry: MetricsRegistry, alerted: Set<String> = []) {
        self.kinds = Dictionary(kinds.map { ($0.id, KindCounts($0, registry)) }) { first, _ in first }
        for kind in kinds {
            let isAlerted = alerted.contains(kind.id)
            if isAlerted || kind.canWarn { self.kinds[kind.id]?.start(withCauses: isAlerted) }
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

extension EventKind {
    /// Whether its line is a warning or an error, at least with one of its causes.
    fileprivate var canWarn: Bool { ([level] + causes.map(\.level)).contains { $0.map { $0 >= .warning } ?? false } }
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

    /// Makes the first counters. A label of many values begins with what is not in its list.
    func start(withCauses: Bool) {
        var numbers = [0]
        for label in kind.labels {
            let first = label.choices > 6 ? label.choices - 1 : 1
            numbers = numbers.flatMap { number in (first..<label.choices).map { number * label.choices + $0 } }
        }
        let causes = withCauses && !kind.causes.isEmpty ? Array(1...kind.causes.count) : [otherCause]
        for number in numbers {
            for cause in causes { _ = counter(number * causeChoices + cause) }
        }
    }

    /// The choice that has a place from the start.
    private var otherCause: Int { kind.causes.isEmpty ? 0 : kind.causes.count + 1 }

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
            // Where no place is left, a new cause counts as another one.
            let other = number - number % causeChoices + otherCause
            if registry.seriesCount >= MetricsRegistry.limit, let counter = known[other] { return counter }
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
