public import Logging
public import ServiceLifecycle

/// Checks the clock once per second and logs when it becomes unreliable and when it is reliable again.
public struct ClockWatch: Service {
    private let clock: ServiceClock
    private let logger: Logger

    public init(_ clock: ServiceClock, logger: Logger) {
        self.clock = clock
        self.logger = logger
    }

    /// Runs until the program stops.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            var last = ClockState()
            while !Task.isCancelled {
                let state = clock.state()
                if let change = Self.event(from: last, to: state) { logger.record(change.event) }
                last = state
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// The event to log for a change of state, or nil.
    static func event(from last: ClockState, to state: ClockState) -> ClockEvent? {
        if state.epoch != last.epoch { return state.origin == .acceptedJump ? .jumpAccepted : .restored }
        switch (last.disagreement, state.disagreement) {
        case (nil, nil): return nil
        case (_, nil): return .restored
        case (let before, let span?):
            let isSame = before.map { ($0 > .zero) == (span > .zero) } ?? false
            if isSame { return nil }
            return span > .zero ? .jumped(ahead: span) : .setBack(behind: .zero - span)
        }
    }
}

/// A change of the clock's state.
enum ClockEvent: Equatable {
    case jumped(ahead: Duration)
    case setBack(behind: Duration)
    case jumpAccepted
    case restored

    var event: Event {
        switch self {
        case .jumped(let ahead):
            Event(
                .clockJumped,
                [
                    "ahead_seconds": .number(ahead.secondsRoundedUp),
                    "message": """
                    The wall clock jumped ahead. The program keeps its time and nothing is purged until the wall clock is \
                    right again or the jump has lasted for \(JudgedClock.patience). /readyz is 200 with the warning clock.
                    """,
                ])
        case .setBack(let behind):
            Event(
                .clockSetBack,
                [
                    "behind_seconds": .number(behind.secondsRoundedUp),
                    "message": """
                    The wall clock was set back. The program keeps its time and nothing is purged. If the wall clock is \
                    right now, restart the program.
                    """,
                ])
        case .jumpAccepted:
            Event(
                .clockJumpAccepted,
                [
                    "message":
                        "The jump has lasted, so the program uses the wall clock again. The purge pauses for an hour."
                ])
        case .restored:
            Event(.clockRestored, ["message": "The wall clock agrees with the program's time again."])
        }
    }
}
