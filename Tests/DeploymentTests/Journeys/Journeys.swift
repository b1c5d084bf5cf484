import Testing

/// Whole journeys over the real programs: processes, sockets, emails, a browser.
///
/// Two chains, each one after the other: they kill processes and start browsers, and two cores are easily overloaded. The
/// suites in this folder are nested here so that the trait reaches them all.
@Suite("Journeys")
enum Journeys {
    /// What a person does: browsers, tabs, emails, apps.
    @Suite("of users", .serialized)
    enum Users {}

    /// What happens to the programs: crashes, restarts, clocks, several processes, logs.
    @Suite("of operators", .serialized)
    enum Operators {}
}
