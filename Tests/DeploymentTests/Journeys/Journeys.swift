import Testing

@testable import TestSupport

/// Whole journeys over the real programs: processes, sockets, letters, a browser.
///
/// One after another: they measure and they kill, and two cores are soon full. The suites in this folder are nested
/// here so that the trait reaches them all.
@Suite("Journeys", .serialized)
enum Journeys {}
