/// Both clocks of the machine, read at one moment.
struct ClockReading: Sendable {
    /// The wall clock, which an operator, NTP or a broken machine may set to anything.
    let wall: Timestamp
    /// Time since the program's start. It cannot be set, and it continues while the machine sleeps (CLOCK_BOOTTIME).
    let steady: Duration
}

/// How reliable the program's time is.
struct ClockState: Sendable, Equatable {
    /// Why the time was last taken from the wall clock.
    enum Origin: Sendable, Equatable {
        case start
        /// The wall clock jumped ahead and stayed there.
        case acceptedJump
        /// An accepted jump was reversed. The time from before the jump continues.
        case returned
    }

    /// How far the wall clock is ahead of the program's time. Negative when it is behind, nil while both agree.
    var disagreement: Duration?
    var origin = Origin.start
    /// How often the time was taken from the wall clock again since the start.
    var epoch = 0
}

/// Computes the program's time from readings of both clocks. The same readings give the same times.
///
/// The time begins at the wall clock's reading, advances with the steady clock, and follows the wall clock when that is
/// slightly ahead. Otherwise:
/// - The wall clock is set back: the time continues. Expired sessions and tokens must not become valid again.
/// - The wall clock jumps ahead: the time continues until the jump has lasted for ``patience``. A clock that is wrong
///   for two seconds would otherwise end every session and token. A paused virtual machine and the first step of NTP
///   look the same and last.
/// - An accepted jump is reversed: the time from before the jump continues. Rows made before the jump keep their
///   lifetime.
struct JudgedClock: Sendable {
    /// The largest difference that counts as agreement. Ordinary steps of NTP are smaller.
    static let tolerance: Duration = .seconds(30)
    /// How long a jump must last: the lifetime of a sign-in. A restart accepts the jump at once.
    static let patience: Duration = .minutes(10)

    /// Time that advances steadily from a moment.
    private struct Line {
        let moment: Timestamp
        let steady: Duration

        func moment(at reading: ClockReading) -> Timestamp { moment + (reading.steady - steady) }
    }

    private var line: Line
    /// The line before the last accepted jump.
    private var left: Line?
    private var jump: (ahead: Duration, since: Duration)?
    private(set) var state = ClockState()

    init(_ reading: ClockReading) { line = Line(moment: reading.wall, steady: reading.steady) }

    /// The time at this reading. Readings must be passed in the order in which they were made.
    mutating func now(_ reading: ClockReading) -> Timestamp {
        let moment = line.moment(at: reading)
        let ahead = reading.wall - moment
        guard Self.agrees(ahead) else {
            return ahead > .zero ? resolve(jump: ahead, moment, reading) : resolve(setBack: ahead, moment, reading)
        }
        (jump, state.disagreement) = (nil, nil)
        // Keep the line while both clocks agree: a new one would lose a fraction of a millisecond on every call.
        guard ahead > .zero else { return moment }
        line = Line(moment: reading.wall, steady: reading.steady)
        return reading.wall
    }

    private mutating func resolve(jump ahead: Duration, _ moment: Timestamp, _ reading: ClockReading) -> Timestamp {
        // A different jump must last for the whole time again.
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

    private mutating func resolve(setBack behind: Duration, _ moment: Timestamp, _ reading: ClockReading) -> Timestamp {
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
