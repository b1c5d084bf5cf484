/// What a system does with a link.
public enum LinkDecision: String, Sendable, Hashable, CaseIterable {
    /// The app opens.
    case opens
    /// No rule speaks of it: the browser.
    case noMatch = "no match"
    /// A rule keeps it out of the app: the browser.
    case excluded
    /// Android only: the file has no rules for the app, or Android discards them all. The app opens what the intent
    /// filters of its manifest name, and nothing else.
    case manifestDecides = "manifest decides"
}
