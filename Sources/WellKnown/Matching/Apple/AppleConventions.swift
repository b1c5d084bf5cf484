/// How Apple's system is taken to answer the questions that nobody has settled. The defaults are what this library
/// decides by; the other answers are tried only to tell whether they would change a decision.
struct AppleConventions: Sendable, Hashable {
    enum Rules: Sendable, Hashable {
        case components
        case componentsThenPaths
        case paths
        case none
    }

    /// `appID` beside `appIDs` counts, too.
    var unitesAppIDs = false
    /// Which rules an entry with `components` and `paths` has.
    var mixedRules: Rules = .components
    /// `?` stands for one byte of a decoded text, not for one character.
    var countsBytes = false
    /// A pattern that begins with `*` is compared with the path and its first slash.
    var starTakesFirstSlash = false
    /// A `*` inside a path pattern stops at a slash.
    var innerStarStopsAtSlash = false
    /// Several slashes inside a path are one.
    var collapsesSlashes = false
    /// A file's own variable replaces a predefined one.
    var redefines = true
    /// `$(name)` is a variable in legacy paths.
    var expandsInPaths = true
    /// Defaults apply to legacy paths.
    var defaultsReachPaths = true
    /// Without `percentEncoded`, the items of the query are decoded as the path is.
    var decodesItems = true
    /// Without `caseSensitive`, the names of query items compare without regard to case, too.
    var foldsItemNames = false
    /// Without `caseSensitive`, letters beyond ASCII fold, too.
    var foldsUnicode = false
    /// A value of the wrong type leaves the default in force.
    var wrongTypeKeepsDefault = false
    /// An empty path pattern is the root.
    var emptyPathIsRoot = true
    /// `.` and `..` in the path are resolved.
    var resolvesDots = false
}
