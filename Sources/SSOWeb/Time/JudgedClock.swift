/// What both clocks of the machine said at one moment.
struct ClockReading: Sendable {
    /// The wall clock, which an operator, NTP or a broken machine may set to anything.
    let wall: Timestamp
    /// Since the program's start. It cannot be set, and it goes on while the machine sleeps (CLOCK_BOOTTIME).
    let steady: Duration
}

/// How far a program's clock can be relied on.
struct ClockState: Sendable, Equatable {
    /// How the time came to be taken from the wall clock.
    enum Origin: Sendable, Equatable {
        case start
        /// The wall clock jumped ahead and stayed there.
        case acceptedJump
        /// A jump that was accepted was taken back: the time from before it goes on.
        case returned
    }

    /// How far the wall clock is ahead of the time the program goes by, or behind it when negative. Nil while both agree.
    var disagreement: Duration?
    var origin = Origin.start
    /// Counts how often the time was taken afresh since the start.
    var epoch = 0

    /// Whether the wall clock has jumped ahead, and it is not known yet whether it is right.
    var hasJumped: Bool { (disagreement ?? .zero) > .zero }
}

/// Decides what time it is, from readings of both clocks. Pure: the same readings give the same times.
///
/// Time goes on steadily from the wall clock's reading at the start, and follows the wall clock where that is a little
/// ahead. The rest:
/// - Set back: time goes on. A rewound clock must not revive what has expired.
/// - Far ahead: time goes on as well, until the wall clock has stayed there for ``patience``. Taken at once, a clock
///   that is wrong for two seconds ends every session and token, and the program stays in the future. A virtual
///   machine that was paused, or the first step of NTP, looks just the same and does stay.
/// - Back from a jump that was accepted: the time from before it goes on. Nothing is revived by that: what expires on
///   this line had its whole life on it.
struct JudgedClock: Sendable {
    /// Within this both clocks agree: ordinary steps of NTP are smaller.
    static let tolerance: Duration = .seconds(30)
    /// As long as the longest wait of a sign-in. A restart ends the wait.
    static let patience: Duration = .minutes(10)

    /// Time that goes on steadily from a moment.
    private struct Line {
        let moment: Timestamp
        let steady: Duration

        func moment(at reading: ClockReading) -> Timestamp { moment + (reading.steady - steady) }
    }

    private var line: Line
    /// The line before the last jump that was accepted.
    private var left: Line?
    private var jump: (ahead: Duration, since: Duration)?
    private(set) var state = ClockState()

    init(_ reading: ClockReading) { line = Line(moment: reading.wall, steady: reading.steady) }

    /// The time at this reading. Readings come in the order in which they were made.
    mutating func now(_ reading: ClockReading) -> Timestamp {
        let moment = line.moment(at: reading)
        let ahead = reading.wall - moment
        guard Self.agrees(ahead) else {
            return ahead > .zero ? judge(jump: ahead, moment, reading) : judge(setBack: ahead, moment, reading)
        }
        (jump, state.disagreement) = (nil, nil)
        // Keep the line where it is while both clocks agree: to begin anew each time would lose the part of a
        // millisecond on every call.
        guard ahead > .zero else { return moment }
        line = Line(moment: reading.wall, steady: reading.steady)
        return reading.wall
    }

    private mutating func judge(jump ahead: Duration, _ moment: Timestamp, _ reading: ClockReading) -> Timestamp {
        // Another jump is another claim, and has to last by itself.
        let since = jump.flatMap { Self.agrees($0.ahead - ahead) ? $0.since : nil } ?? reading.steady
        guard reading.steady - since >= Self.patience else {
            jump = (ahead, since)
            state.disagreement = ahead
            return moment
        }
        left = line
        take(Line(moment: reading.wall, steady: reading.steady), .acceptedJump)
        return reading.wall
    }

    private mutating func judge(setBack behind: Duration, _ moment: Timestamp, _ reading: ClockReading) -> Timestamp {
        jump = nil
        guard let before = left, Self.agrees(reading.wall - before.moment(at: reading)) else {
            state.disagreement = behind
            return moment
        }
        left = nil
        take(before, .returned)
        return before.moment(at: reading)
    }

    private mutating func take(_ line: Line, _ origin: ClockState.Origin) {
        self.line = line
        jump = nil
        state = ClockState(disagreement: nil, origin: origin, epoch: state.epoch + 1)
    }

    private static func agrees(_ span: Duration) -> Bool { span <= tolerance && span >= .zero - tolerance }
}
