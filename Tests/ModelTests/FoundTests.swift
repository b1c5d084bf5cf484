import Testing

@testable import TestKit

/// What histories have found in the program, each as the shortest history that showed it.
@Suite("What histories have found", .program)
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

    @Test("nobody is invited who may not sign in: the invitation would be said to be sent, and never leave")
    func invitedAfterTheEnd() async throws {
        let ended: [Operation] = [.printLink(address: 0), .end(address: 0, days: 1), .wait(seconds: 86_400)]
        try await History.agree(ended + [.invite(address: 0)], seed: 1)
        try await History.agree([.printLink(address: 0), .disable(address: 0), .invite(address: 0)], seed: 1)
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

    @Test("a browser whose address IDP_ALLOWED_EMAILS names no more has no flow left")
    func flowOfNarrowed() async throws {
        try await History.agree(
            [
                .authorize(browser: 0, client: 3, wish: .strong), .ask(browser: 0, address: 2),
                .link(browser: 0, of: 0), .allow(narrowed: true), .ask(browser: 0, address: 0),
            ], seed: 1)
    }

    @Test("a restore writes its rows of the audit log at its own moment, and not at the machine's")
    func momentOfRestore() async throws {
        try await History.agree(
            [
                .printLink(address: 0), .useLink(browser: 1, link: 0), .addPasskey(browser: 1, isHardware: false),
                .wait(seconds: 2_592_000), .backUp, .removeFor(address: 0, passkey: 0), .restore,
            ], seed: 1)
    }

    @Test("a visitor is asked for what the client needs now, also where a command has just changed it")
    func needOfVisitor() async throws {
        try await History.agree(
            [
                .require(client: 3, isStrict: true), .authorize(browser: 1, client: 3, wish: .none),
                .require(client: 3, isStrict: false), .authorize(browser: 0, client: 3, wish: .none),
                .ask(browser: 0, address: 0), .type(browser: 0, code: .right, remember: false),
            ], seed: 1)
    }

    @Test("a user who has begun by a printed link is invited no more, and no invitation is withdrawn")
    func invitedAfterLink() async throws {
        try await History.agree(
            [
                .printLink(address: 0), .useLink(browser: 3, link: 0), .withdraw(address: 0), .invite(address: 0),
                .withdraw(address: 0),
            ], seed: 1)
    }

    @Test("a page that says that a client is unknown is no use of the session, also right after a command")
    func noUseOfErrorPage() async throws {
        try await History.agree(
            [
                .authorize(browser: 3, client: 0, wish: .none), .enableClient(client: 3, isEnabled: false),
                .wait(seconds: 7199), .authorize(browser: 3, client: 3, wish: .none), .wait(seconds: 1),
                .ask(browser: 3, address: 3),
            ], seed: 1)
    }

    @Test("an erased account that waited for it in the backup stays disabled, also when that is cancelled")
    func cancelledAfterRestore() async throws {
        try await History.agree(
            [
                .ask(browser: 0, address: 0), .type(browser: 0, code: .right, remember: false),
                .erase(address: 0, mode: .later), .backUp, .erase(address: 0, mode: .now), .restore,
                .erase(address: 0, mode: .cancel), .ask(browser: 2, address: 0),
            ], seed: 1)
    }

    @Test("an account that was erased after the backup gives way to the one that has its address now")
    func addressOfErased() async throws {
        try await History.agree(
            [
                .printLink(address: 0), .printLink(address: 1), .backUp, .erase(address: 0, mode: .now),
                .move(address: 1, to: 0), .restore, .ask(browser: 0, address: 0),
                .type(browser: 0, code: .right, remember: false), .look(browser: 0), .ask(browser: 1, address: 1),
            ], seed: 1)
    }

    @Test("a browser of an erased user keeps its session, and what waits in it, when the settings name fewer addresses")
    func narrowedAfterErasing() async throws {
        try await History.agree(
            [
                .ask(browser: 3, address: 2), .type(browser: 3, code: .right, remember: false),
                .erase(address: 2, mode: .now), .authorize(browser: 3, client: 2, wish: .none),
                .allow(narrowed: true), .wait(seconds: 600), .ask(browser: 3, address: 0),
            ], seed: 1)
    }
}
