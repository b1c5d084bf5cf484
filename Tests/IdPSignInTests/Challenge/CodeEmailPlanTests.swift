import IdPAccounts
import SSOShared
import SSOWeb
import Testing

@testable import IdPSignIn
@testable import TestKit

/// Every combination of the facts, each with the plan that it leads to. The claims say what must hold for all of them.
@Suite("The plan for a code by email", .rules)
struct CodeEmailPlanTests {
    private static let now = Timestamp(milliseconds: 1_000_000)
    private static let reasons: [SignInEligibility.Reason?] = [nil, .notAllowed, .disabled, .ended]
    /// The browser holds no challenge that accepts codes, one with half its time left, and one that ends in a second.
    private static let waiting: [CodeEmailFacts.Waiting?] = [
        nil, .init(id: "chl_a", expiresAt: now + .minutes(5)), .init(id: "chl_a", expiresAt: now + .seconds(1)),
    ]
    /// No email left, one left a minute ago, and one leaves soon.
    private static let emails: [Timestamp?] = [nil, now - .minutes(1), now + .milliseconds(500)]
    /// The budget allows an email now; before each end; at the end of the shortest; then, for the others; and after all.
    private static let allowed: [Timestamp?] = [
        nil, now + .milliseconds(500), now + .seconds(1), now + .minutes(1), now + .minutes(7), now + .minutes(10),
    ]

    /// 4 reasons, 3 challenges, 3 emails and 6 budgets: 216 in all.
    private static let plans: [(facts: CodeEmailFacts, plan: CodeEmailPlan)] = reasons.flatMap { reason in
        waiting.flatMap { waiting in
            emails.flatMap { email in
                allowed.map { allowed in
                    let facts = CodeEmailFacts(
                        reason: reason, waiting: waiting, heldEmailAt: email, nextAllowed: allowed, now: now)
                    return (facts, .next(facts))
                }
            }
        }
    }

    /// Whether an email with the code of the waiting challenge has left, or leaves.
    private static func isRepeat(_ facts: CodeEmailFacts) -> Bool { facts.waiting != nil && facts.heldEmailAt != nil }

    @Test("an address that may not sign in has the plan of one that may, but that its email is a decoy")
    func enumeration() {
        #expect(Self.plans.count == 216)
        for (facts, plan) in Self.plans {
            var allowed = facts
            allowed.reason = nil
            let other = CodeEmailPlan.next(allowed)
            #expect(plan.isDecoy == (facts.reason != nil) && !other.isDecoy, "\(facts)")
            #expect(plan.reason == facts.reason, "\(facts)")
            #expect(plan.continued == other.continued && plan.expiresAt == other.expiresAt, "\(facts)")
            #expect(plan.leavesAt == other.leavesAt && plan.emailAt == other.emailAt, "\(facts)")
            #expect(plan.sentAgainAt == other.sentAgainAt, "\(facts)")
        }
    }

    @Test("a challenge that still waits is continued and not prolonged; else a new code is valid for ten minutes")
    func challenge() {
        for (facts, plan) in Self.plans {
            #expect(plan.continued == facts.waiting?.id, "\(facts)")
            #expect(plan.expiresAt == facts.waiting?.expiresAt ?? Self.now + .minutes(10), "\(facts)")
        }
    }

    @Test("an email leaves at once while the budget allows one, whether its code is new or was sent before")
    func now() {
        for (facts, plan) in Self.plans where facts.nextAllowed == nil {
            #expect(plan.leavesAt == Self.now && plan.emailAt == Self.now, "\(facts)")
        }
    }

    @Test("beyond the budget a code that was sent is not sent again, and the page keeps the moment of its email")
    func again() {
        for (facts, plan) in Self.plans where facts.nextAllowed != nil && Self.isRepeat(facts) {
            #expect(plan.leavesAt == nil && plan.emailAt == facts.heldEmailAt, "\(facts)")
        }
    }

    @Test("beyond the budget a code's first email waits until one is allowed, and is left out if the code ends by then")
    func first() {
        for (facts, plan) in Self.plans where !Self.isRepeat(facts) {
            guard let allowed = facts.nextAllowed else { continue }
            let expected = allowed < plan.expiresAt ? allowed : nil
            #expect(plan.leavesAt == expected && plan.emailAt == expected, "\(facts)")
        }
    }

    @Test("the page confirms another email exactly where the browser had one before and this one leaves now")
    func confirmation() {
        for (facts, plan) in Self.plans {
            let isConfirmed = facts.heldEmailAt != nil && facts.nextAllowed == nil
            #expect(plan.sentAgainAt == (isConfirmed ? Self.now : nil), "\(facts)")
        }
    }

    @Test("the log names the email that leaves and its wait, or why no email leaves: the address before the limit")
    func report() {
        for (facts, plan) in Self.plans {
            switch plan.report(id: "eml", now: Self.now) {
            case .queued(let id, let wait):
                #expect(facts.reason == nil && id == "eml" && plan.leavesAt == Self.now + wait, "\(facts)")
            case .notSent(let reason):
                let expected = facts.reason.map(CodeEmail.Reason.init) ?? .addressLimit
                #expect(reason == expected && (facts.reason != nil || plan.leavesAt == nil), "\(facts)")
            }
        }
    }
}
