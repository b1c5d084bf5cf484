/// What a system does with a link.
public enum LinkDecision: String, Sendable, Hashable {
    /// The app opens.
    case opens
    /// No rule speaks of it: the browser.
    case noMatch = "no match"
    /// A rule keeps it out of the app: the browser.
    case excluded
}
