import Testing

@testable import TestSupport

/// Whole journeys over the real programs: processes, sockets, emails, a browser.
///
/// One after another: they measure times and kill processes, and two cores are easily overloaded. The suites in this
/// folder are nested here so that the trait reaches them all.
@Suite("Journeys", .serialized)
enum Journeys {}
