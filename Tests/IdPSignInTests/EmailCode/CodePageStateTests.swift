import SSOWeb
import Testing

@testable import IdPSignIn
@testable import TestKit
@testable import WebTestKit

@Suite("What the code page tells", .rules)
struct CodePageStateTests {
    /// What has happened. Where nothing else is said, an email has just left and nobody has typed a code.
    struct Given: Sendable {
        /// How long ago the email left. Negative for a deferred one, nil for none.
        var sent: Duration? = Duration.zero
        /// How long ago the user asked again and got another email.
        var sentAgain: Duration?
        /// How long ago the code was made.
        var age = Duration.zero
        var tries = 0
        var isUsed = false
        var problem: EmailCodePage.InputError?
        var pause: Duration?
        var isEligible = true
        /// How long ago emails began to be held back.
        var held: Duration?

        var facts: CodePageFacts {
            let now = TestClock().now
            let challenge = Challenge(
                id: "chl_one", address: "ann@example.com", isEligible: isEligible, codeMAC: [], tries: tries,
                isUsed: isUsed, service: nil, device: "mac", language: .english, browserID: nil, createdAt: now - age,
                expiresAt: now - age + Challenge.lifetime)
            let entry = BrowserChallenges.Entry(
                address: challenge.address, id: challenge.id, emailAt: sent.map { now - $0 },
                sentAgainAt: sentAgain.map { now - $0 }, flow: nil)
            return CodePageFacts(
                challenge: challenge, entry: entry, flow: nil, client: nil, provider: nil,
                reply: nil, problem: problem, remembers: false,
                lifetime: SessionLifetime(absolute: .hours(12), idle: .hours(2)), heldSince: held.map { now - $0 },
                pause: pause, wait: nil, now: now)
        }
    }

    private static func takesCode(
        _ email: CodePageState.Email = .sent, _ error: CodePageState.FieldError? = nil
    ) -> CodePageState {
        .takesCode(email, error)
    }

    private static let emails: [(Given, CodePageState)] = [
        (Given(), takesCode(.sent)),
        (Given(sent: .seconds(59)), takesCode(.sent)),
        (Given(sent: .seconds(60)), takesCode(.sentAgo(minutes: 1))),
        (Given(sent: .seconds(299)), takesCode(.sentAgo(minutes: 4))),
        (Given(sent: .milliseconds(-1)), takesCode(.deferred(.milliseconds(1)))),
        (Given(sent: .seconds(-60), sentAgain: .seconds(5)), takesCode(.deferred(.seconds(60)))),
        (Given(sent: .zero, sentAgain: .zero), takesCode(.sentAgain)),
        (Given(sent: .seconds(59), sentAgain: .seconds(59)), takesCode(.sentAgain)),
        (Given(sent: .seconds(60), sentAgain: .seconds(60)), takesCode(.sentAgo(minutes: 1))),
        // An error is what the user must read then.
        (Given(sentAgain: .zero, problem: .notSixDigits), takesCode(.sent, .notSixDigits)),
    ]

    @Test("the email is deferred, sent, sent again within a minute, or sent some minutes ago", arguments: emails)
    func email(given: Given, state: CodePageState) {
        #expect(given.facts.state == state)
    }

    private static let heldBack: [(Given, CodePageState)] = [
        (Given(held: .zero), takesCode(.held)),
        (Given(sent: .minutes(9), age: .minutes(9), held: .minutes(9)), takesCode(.held)),
        (Given(sent: .minutes(9), age: .minutes(9), held: .seconds(539)), takesCode(.sentAgo(minutes: 9))),
        (Given(sent: .seconds(3), sentAgain: .seconds(3), held: .minutes(5)), takesCode(.held)),
        (Given(sent: .seconds(-9), held: .seconds(1)), takesCode(.held)),
        (Given(tries: 3, problem: .rejected(.wrong), held: .minutes(1)), takesCode(.held, .wrong(triesLeft: 2))),
        (Given(sent: .minutes(10), age: .minutes(10), held: .minutes(20)), .expired),
        (Given(sent: nil, held: .minutes(20)), .noEmail),
    ]

    @Test("what was due when emails were held back already is not said to be sent", arguments: heldBack)
    func held(given: Given, state: CodePageState) {
        #expect(given.facts.state == state)
        #expect(!state.isWaiting || !given.facts.hasLink)
    }

    private static let errors: [(Given, CodePageState)] = [
        (Given(problem: .notSixDigits), takesCode(.sent, .notSixDigits)),
        (
            Given(problem: .unseen(code: "U+FFFC", position: 4)),
            takesCode(.sent, .unseen(code: "U+FFFC", position: 4))
        ),
        (Given(tries: 1, problem: .rejected(.wrong)), takesCode(.sent, .wrong(triesLeft: nil))),
        (Given(tries: 2, problem: .rejected(.wrong)), takesCode(.sent, .wrong(triesLeft: nil))),
        (Given(tries: 3, problem: .rejected(.wrong)), takesCode(.sent, .wrong(triesLeft: 2))),
        (Given(tries: 4, problem: .rejected(.wrong)), takesCode(.sent, .wrong(triesLeft: 1))),
        // The code that was typed has ended, and the browser waits for another one.
        (Given(problem: .rejected(.ended)), takesCode(.sent, .wrong(triesLeft: nil))),
        (Given(sent: .seconds(-9), problem: .rejected(.notSent)), takesCode(.deferred(.seconds(9)), .notSent)),
        // The pause ended between the input and the page.
        (Given(problem: .rejected(.paused)), takesCode(.sent, nil)),
    ]

    @Test("an error says what was wrong, and the tries that are left from the third wrong code on", arguments: errors)
    func error(given: Given, state: CodePageState) {
        #expect(given.facts.state == state)
    }

    private static let ended: [(Given, CodePageState)] = [
        (Given(sent: nil), .noEmail),
        (Given(sent: nil, problem: .rejected(.notSent)), .noEmail),
        (Given(sent: nil, age: .minutes(11), tries: 5), .noEmail),
        (Given(tries: 5), .usedUp),
        (Given(tries: 5, problem: .rejected(.wrong)), .usedUp),
        (Given(isUsed: true), .usedUp),
        (Given(age: .minutes(11), tries: 5), .usedUp),
        (Given(sent: .minutes(10), age: .minutes(10)), .expired),
        (Given(sent: .minutes(1), age: .minutes(10), problem: .rejected(.ended)), .expired),
        (Given(sent: .minutes(9), age: .milliseconds(599_999)), takesCode(.sentAgo(minutes: 9))),
    ]

    @Test("without an email, after five wrong codes or the right one, and after ten minutes no code", arguments: ended)
    func end(given: Given, state: CodePageState) {
        #expect(given.facts.state == state)
    }

    @Test("a pause wins over all of this", arguments: emails + heldBack + errors + ended)
    func paused(given: Given, otherwise: CodePageState) {
        var given = given
        given.pause = .minutes(40)
        #expect(given.facts.state == .paused(.minutes(40)))
    }

    @Test("an address that may not sign in gets what one gets that may", arguments: emails + heldBack + errors + ended)
    func sameForAll(given: Given, state: CodePageState) {
        var stray = given
        stray.isEligible = false
        #expect(stray.facts.state == state)
        #expect(stray.facts.hasLink == given.facts.hasLink)
    }

    private static let countdowns: [(CodePageState, wait: Int?, Int?)] = [
        (takesCode(), nil, nil), (takesCode(), 60, 60), (takesCode(.sentAgo(minutes: 3)), 1800, 1800),
        // The wait for the code itself, whatever other emails wait for.
        (takesCode(.deferred(.seconds(45))), nil, 45), (takesCode(.deferred(.seconds(45))), 1800, 45),
        (.paused(.minutes(60)), 30, 30), (.noEmail, 30, 30), (.noEmail, nil, nil),
        // A new code replaces one that has ended, at once when its email waits for a minute at most.
        (.usedUp, nil, nil), (.usedUp, 1, nil), (.usedUp, 60, nil), (.usedUp, 61, 61),
        (.expired, 60, nil), (.expired, 61, 61),
    ]

    @Test("the button for another email counts down, but a new code can replace an ended one", arguments: countdowns)
    func countdown(state: CodePageState, wait: Int?, counted: Int?) {
        #expect(state.countdown(wait.map { Duration.seconds($0) }) == counted.map { Duration.seconds($0) })
    }

    private static let links: [(Given, Bool)] = [
        (Given(), true), (Given(sent: .seconds(-1)), false), (Given(sent: nil), false), (Given(isUsed: true), false),
        (Given(tries: 5), true), (Given(pause: .minutes(60)), true), (Given(age: .minutes(10)), false),
    ]

    @Test("the link outlives the code, until it is used or has expired", arguments: links)
    func link(given: Given, works: Bool) {
        #expect(given.facts.hasLink == works)
    }

    @Test("only a pause and the lack of an email can be the work of others")
    func limits() {
        let states: [CodePageState] = [Self.takesCode(), .paused(.minutes(1)), .noEmail, .usedUp, .expired]
        #expect(states.filter(\.isAtLimit) == [.paused(.minutes(1)), .noEmail])
        #expect(states.filter(\.needsNewCode) == [.noEmail, .usedUp, .expired])
    }
}
