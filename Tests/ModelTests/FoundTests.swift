import Testing

@testable import TestKit

/// What histories have found in the program, each as the shortest history that showed it.
@Suite("What histories have found", .program, .ofModel)
struct FoundTests {
    @Test("a later end date does not give back what the one before has ended, where no job has seen it yet")
    func laterEndDate() async throws {
        try await History.agree(
            [
                .ask(browser: 0, address: 0), .type(browser: 0, code: .right, remember: true),
                .end(address: 0, days: 1),
                .wait(seconds: 86_400), .end(address: 0, days: 30), .look(browser: 0),
            ], seed: 1)
    }

    @Test("an address that IDP_ALLOWED_EMAILS names again gets back none of its sign-ins")
    func namedAgain() async throws {
        try await History.agree(
            [
                .ask(browser: 0, address: 2), .type(browser: 0, code: .right, remember: true), .allow(narrowed: true),
                .allow(narrowed: false), .look(browser: 0),
            ], seed: 1)
    }

    @Test("clients are told of an end date that a restore has taken from the replaced database")
    func restoredEndDate() async throws {
        try await History.agree(
            [
                .ask(browser: 0, address: 0), .type(browser: 0, code: .right, remember: false),
                .end(address: 0, days: 1),
                .wait(seconds: 86_400), .jobs, .backUp, .end(address: 0, days: 60), .restore,
                .ask(browser: 0, address: 0), .type(browser: 0, code: .right, remember: true),
                .authorize(browser: 0, client: 0, wish: .none), .redeem(client: 0, grant: 0, how: .right),
                .wait(seconds: 5_184_000), .jobs,
            ], seed: 1)
    }
}
