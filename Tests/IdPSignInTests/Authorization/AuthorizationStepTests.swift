import SSOShared
import SSOWeb
import Testing

@testable import IdPAuthorization
@testable import TestKit

/// Every combination of the facts, each with the step that it leads to. The claims say what must hold for all of them.
@Suite("The next step of an authorization", .rules)
struct AuthorizationStepTests {
    private static let (old, recent) = (Timestamp(milliseconds: 1000), Timestamp(milliseconds: 2000))
    private static let users: [AuthorizationFacts.User?] =
        [nil]
        + all(2).map {
            AuthorizationFacts.User(isExpected: $0[0], meetsWishes: $0[1])
        }

    /// All lists of so many yes and no.
    private static func all(_ count: Int) -> [[Bool]] {
        (0..<(1 << count)).map { number in (0..<count).map { number >> $0 & 1 == 1 } }
    }

    /// 5 users, 5 prompts (none included), and eight further facts: 5,120 in all.
    private static let steps: [(facts: AuthorizationFacts, step: AuthorizationStep)] = {
        let prompts = [nil] + SignInWishes.Prompt.allCases.map(Optional.some)
        return users.flatMap { user in
            prompts.flatMap { prompt in
                all(8).map { bits in
                    let facts = AuthorizationFacts(
                        isRegistered: bits[0], prompt: prompt, user: user, isForAnyProgram: bits[1], mayEnter: bits[2],
                        isWaiting: bits[3], afterOldSignIn: bits[4] ? old : nil, earliest: bits[5] ? recent : nil,
                        questionRefusal: bits[6] ? .interactionRequired : .loginRequired,
                        flowsWait: bits[7] ? .seconds(7) : nil)
                    return (facts, .next(facts))
                }
            }
        }
    }()

    /// The facts that a claim is about.
    private static func those(_ isMeant: (AuthorizationFacts) -> Bool) -> [(
        facts: AuthorizationFacts, step: AuthorizationStep
    )] {
        steps.filter { isMeant($0.facts) }
    }

    private static func isSignIn(_ step: AuthorizationStep) -> Bool { if case .signIn = step { true } else { false } }
    private static func isChoice(_ step: AuthorizationStep) -> Bool { if case .choose = step { true } else { false } }

    @Test("a client that is not registered gets nothing, whatever else holds")
    func unknownClient() {
        let steps = Self.those { !$0.isRegistered }
        #expect(steps.count == Self.steps.count / 2 && steps.allSatisfy { $0.step == .unknownClient })
        #expect(!Self.those(\.isRegistered).contains { $0.step == .unknownClient })
    }

    @Test(
        "a grant goes to the expected user of a registered client, signed in as recently as it wishes, who may enter, has no account to choose, and whose way back is the client's own: to all of these, and to nobody else"
    )
    func issue() {
        for (facts, step) in Self.steps {
            let isRight =
                facts.isRegistered && facts.user?.isExpected == true && facts.user?.meetsWishes == true
                && facts.mayEnter
                && facts.prompt != .selectAccount && !facts.isForAnyProgram
            #expect((step == .issue) == isRight, "\(facts)")
        }
    }

    @Test("a client that asks for no question never gets one, and no flow that would wait")
    func silent() {
        for (facts, step) in Self.those({ $0.isRegistered && $0.prompt == .silent }) {
            switch step {
            case .issue, .noAccess: break
            case .refuse(let error):
                let isSignedIn = facts.user?.isExpected == true && facts.user?.meetsWishes == true
                #expect(error == (isSignedIn ? facts.questionRefusal : .loginRequired), "\(facts)")
            default: Issue.record("\(step): \(facts)")
            }
        }
        #expect(!Self.those { $0.prompt != .silent }.contains { if case .refuse = $0.step { true } else { false } })
    }

    @Test("who is not signed in signs in; no such user chooses an account, or is told of access")
    func visitors() {
        for (facts, step) in Self.those({
            $0.isRegistered && $0.user == nil && $0.prompt != .silent && $0.flowsWait == nil
        }) {
            #expect(Self.isSignIn(step), "\(facts)")
        }
    }

    @Test(
        "a sign-in that is too old is made again, and ends the request only if it is newer than the old one and than the wish"
    )
    func since() {
        for (facts, step) in Self.those({ $0.isRegistered && $0.user?.meetsWishes != true }) {
            guard case .signIn(let since) = step else { continue }
            let expected = facts.earliest != nil ? Self.recent : facts.afterOldSignIn
            #expect(since == expected, "\(facts)")
        }
        for (facts, step) in Self.those({ $0.user?.meetsWishes == true && $0.isRegistered }) {
            #expect(!Self.isSignIn(step), "\(facts)")
            if Self.isChoice(step) { #expect(step == .choose(since: nil), "\(facts)") }
        }
    }

    @Test("a user with another account than the client expects, or whom any program may have sent, chooses on a page")
    func choice() {
        for (facts, step) in Self.those({
            $0.isRegistered && $0.user?.meetsWishes == true && $0.prompt != .silent && $0.flowsWait == nil
        }) {
            let mustChoose =
                facts.user?.isExpected == false || facts.isForAnyProgram || facts.prompt == .selectAccount
            #expect(Self.isChoice(step) == mustChoose, "\(facts)")
        }
    }

    @Test("a user who may not enter is told so, and a page that waits already begins no further flow")
    func access() {
        for (facts, step) in Self.those({ $0.mayGetGrant && !$0.mayEnter }) {
            let isFree = facts.flowsWait == nil || facts.isWaiting || facts.prompt == .silent
            #expect(step == (isFree ? .noAccess : .wait(.seconds(7))), "\(facts)")
        }
        #expect(!Self.those { !$0.mayGetGrant }.contains { $0.step == .noAccess })
    }

    @Test("a session that has begun too many flows waits for each further one, and for nothing else")
    func limit() {
        for (facts, step) in Self.those({ $0.isRegistered && $0.flowsWait != nil }) {
            #expect(!Self.isSignIn(step) && !Self.isChoice(step), "\(facts)")
        }
        #expect(!Self.those { $0.flowsWait == nil }.contains { if case .wait = $0.step { true } else { false } })
    }
}
