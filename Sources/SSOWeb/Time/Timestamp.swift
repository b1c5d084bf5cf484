/// A moment in UTC: whole milliseconds since 1970, the form of all tables.
///
/// In whole seconds a lifetime could be wrong by a second at each end.
public struct Timestamp: Sendable, Hashable, Comparable, Codable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public let milliseconds: Int64

    /// The moment this number of milliseconds after the beginning of 1970.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Whole seconds since 1970, rounded down: the form of the verify response.
    public var seconds: Int { Int(milliseconds / 1000) }

    public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

    /// The later moment. Wraps instead of trapping on overflow.
    public static func + (moment: Self, span: Duration) -> Self {
        Self(milliseconds: moment.milliseconds &+ span.milliseconds)
    }

    /// The earlier moment. Wraps instead of trapping on overflow.
    public static func - (moment: Self, span: Duration) -> Self {
        Self(milliseconds: moment.milliseconds &- span.milliseconds)
    }

    /// The time from the right moment to the left one. Negative when the left one is earlier.
    public static func - (later: Self, earlier: Self) -> Duration {
        .milliseconds(later.milliseconds &- earlier.milliseconds)
    }

    public init(from decoder: any Decoder) throws {
        milliseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }
}

extension Duration {
    /// Whole milliseconds, rounded towards zero.
    public var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds &* 1000 &+ attoseconds / 1_000_000_000_000_000
    }

    /// Whole seconds, rounded up, so that a wait is never announced too short.
    public var secondsRoundedUp: Int { Int((milliseconds + 999) / 1000) }

    /// A number of minutes.
    public static func minutes(_ count: Int) -> Self { .seconds(count * 60) }
    /// A number of hours.
    public static func hours(_ count: Int) -> Self { .seconds(count * 3600) }
    /// A number of days of 24 hours.
    public static func days(_ count: Int) -> Self { .hours(count * 24) }
}
