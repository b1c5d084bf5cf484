/// How far the clocks of two processes on one database may be apart.
public enum ClockSkew {
    /// Two minutes. A row made further in the future than this stems from a clock that was wrong, and does not count.
    public static let tolerated: Duration = .minutes(2)
}
