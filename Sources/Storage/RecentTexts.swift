/// The texts of the last minute: what repeats for as long as something is away is said once in it.
package struct RecentTexts: Sendable {
    private static let pause = Duration.seconds(60)
    /// A text that differs each time must not fill the log either.
    private static let most = 8

    private var said: [String: ContinuousClock.Instant] = [:]

    package init() {}

    /// Whether a text was not said in the last minute. It counts as said from now on.
    package mutating func isNews(_ text: String, at now: ContinuousClock.Instant = .now) -> Bool {
        said = said.filter { now - $0.value < Self.pause }
        guard said[text] == nil, said.count < Self.most else { return false }
        said[text] = now
        return true
    }
}
