import Testing

@testable import TestKit

/// Whole journeys over the real programs: processes, sockets, emails, a browser.
///
/// Two chains, each one after the other: they kill processes and start browsers, and two cores are easily overloaded. The
/// suites in this folder are nested here so that the trait reaches them all.
@Suite("Journeys", .journey)
enum Journeys {
    /// What a person does: browsers, tabs, emails, apps.
    @Suite("of users", .journey, .serialized)
    enum Users {}

    /// What happens to the programs: crashes, restarts, clocks, several processes, logs.
    @Suite("of operators", .journey, .serialized)
    enum Operators {}
}
