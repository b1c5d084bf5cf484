import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Pairs of steps that are started together, in one process and in two: the outcome must be that of one of the two orders.
@Suite("Pairs of steps at once", .program, .alsoOnPostgres, .nightly)
struct PairTests {
    /// A user in two browsers, with grants and tokens of every kind that nobody has used yet, and a code that waits in a third.
    private static let before: [Operation] = [
        .ask(browser: 0, address: 0), .type(browser: 0, code: .right, remember: false), .join(address: 0, group: 0),
        .addPasskey(browser: 0, isHardware: false),
        .wait(seconds: 61), .ask(browser: 1, address: 0), .type(browser: 1, code: .right, remember: false),
        .authorize(browser: 0, client: 3, wish: .none), .exchange(client: 3, grant: 0), .refresh(client: 3, token: 0),
        .authorize(browser: 1, client: 0, wish: .none), .redeem(client: 0, grant: 0, how: .right),
        .wait(seconds: 601), .ask(browser: 2, address: 0), .authorize(browser: 0, client: 3, wish: .none),
        .authorize(browser: 0, client: 1, wish: .none), .authorize(browser: 0, client: 2, wish: .none),
        .printLink(address: 1),
    ]

    /// What may happen at the same moment, each one request or one command.
    private static let steps: [Operation] = [
        .redeem(client: 2, grant: 0, how: .right), .redeem(client: 1, grant: 1, how: .right),
        .redeem(client: 1, grant: 0, how: .right), .exchange(client: 3, grant: 2), .refresh(client: 3, token: 0),
        .refresh(client: 3, token: 1), .revoke(client: 3, token: 0), .question(client: 0, told: 0),
        .type(browser: 2, code: .right, remember: false), .authorize(browser: 1, client: 2, wish: .none),
        .disable(address: 0), .signOutUser(address: 0), .erase(address: 0, mode: .now), .leave(address: 0, group: 0),
        .move(address: 0, to: 4), .access(client: 2, groups: true), .enableClient(client: 2, isEnabled: false),
        .rotate(client: 2), .usePasskey(browser: 3, passkey: 0, how: .right), .removeFor(address: 0, passkey: 0),
        .forgetPasskeys, .useLink(browser: 3, link: 0), .withdrawLink(address: 1), .printLink(address: 1),
        .require(client: 2, isStrict: true),
    ]

    /// What is looked at afterwards.
    private static let after: [Operation] = [
        .look(browser: 0), .look(browser: 1), .look(browser: 2), .redeem(client: 2, grant: 0, how: .right),
        .redeem(client: 1, grant: 1, how: .right), .exchange(client: 3, grant: 2), .refresh(client: 3, token: 0),
        .userInfo(token: 0), .introspect(client: 3, token: 0), .question(client: 0, told: 0),
        .question(client: 2, told: 0), .wait(seconds: 3600), .jobs, .look(browser: 1), .refresh(client: 3, token: 0),
    ]

    /// Any two of one set name tokens or links by their place, counted back from the newest, which the other one moves. These pairs
    /// are in the tests of races.
    private static let apart: [Set<String>] = [
        ["exchange", "refresh", "revoke"], ["useLink", "printLink"], ["useLink", "withdrawLink"],
    ]

    /// All pairs that touch a row of the same table, by the list of tables. A browser sends a form once.
    private static var pairs: [(Operation, Operation)] {
        let tables = OversightTests.tables.values.compactMap { place in
            if case .reached(let names) = place { Set(names) } else { nil }
        }
        var pairs: [(Operation, Operation)] = []
        for (index, one) in steps.enumerated() {
            for other in steps[index...] where tables.contains(where: { $0.isSuperset(of: [one.name, other.name]) }) {
                guard !apart.contains(where: { $0.isSuperset(of: [one.name, other.name]) }) else { continue }
                if one != other || one.browser == nil { pairs.append((one, other)) }
            }
        }
        return pairs
    }

    @Test("two steps at once end as one of the two orders does, in one process and in two")
    func pairs() async throws {
        let pairs = Self.pairs
        for number in 0..<pairs.count * 4 {
            let (one, other) = pairs[number % pairs.count]
            let difference = try await Self.run(one, other, inTwo: number.isMultiple(of: 2))
            #expect(difference == nil, "\(one.swift) and \(other.swift): \(difference ?? "")")
        }
    }

    /// - Returns: where the outcome is that of neither order.
    private static func run(_ one: Operation, _ other: Operation, inTwo: Bool) async throws -> String? {
        let world = try await World(seed: 3)
        var model = Model()
        for operation in before {
            let (expected, actual) = (model.step(operation), try await world.step(operation))
            if expected != actual { return "before: \(operation.swift) \(expected.lines) \(actual.lines)" }
        }
        let pair = try await world.together(one, other, inTwo: inTwo)
        var readings: [String] = []
        let orders = [[0, 1], [1, 0]].compactMap { order -> Model? in
            var ordered = model
            let outcomes = order.map { (index: $0, outcome: ordered.step($0 == 0 ? one : other)) }
            let answers = outcomes.sorted { $0.index < $1.index }.map { World.plain($0.outcome.answer) }
            let whole = Outcome(
                answer: answers.joined(separator: " | "), sent: outcomes.flatMap(\.outcome.sent).sorted(),
                received: outcomes.flatMap(\.outcome.received).sorted(),
                recorded: outcomes.flatMap(\.outcome.recorded).sorted())
            readings.append(whole.lines.joined(separator: "; "))
            return whole == pair ? ordered : nil
        }
        guard !orders.isEmpty else {
            await world.end()
            return "is \(pair.lines.joined(separator: "; ")), not \(readings.joined(separator: ", nor "))"
        }
        var (left, found) = (orders, "")
        for operation in after {
            let actual = try await world.step(operation)
            left = left.compactMap { candidate in
                var next = candidate
                let expected = next.step(operation)
                if expected == actual { return next }
                found = "after: \(operation.swift) is \(actual.lines), not \(expected.lines)"
                return nil
            }
            if left.isEmpty { break }
        }
        await world.end()
        return left.isEmpty ? found : nil
    }
}

extension World {
    /// Whether a code was refused because of what it is, or because of what has just happened, is the same.
    static func plain(_ answer: String) -> String { ["sign-in", "may not"].contains(answer) ? "refused" : answer }

    /// Starts two steps at once. The second one is answered by the same process, or by another one on the same database.
    func together(_ one: Operation, _ other: Operation, inTwo: Bool) async throws -> Outcome {
        _ = (mailer.take(), transport.take())
        let (first, second) = (Together(world: self), Together(world: try await twin(inTwo: inTwo)))
        let (issued, made, keys, printed) = (grants.count, tokens.count, passkeys.count, links.count)
        async let here = first.world.answer(one)
        async let there = second.world.answer(other)
        let answers = try await [here, there].map(World.plain)
        grants += second.world.grants[issued...]
        tokens += second.world.tokens[made...]
        passkeys += second.world.passkeys[keys...]
        links += second.world.links[printed...]
        for it in second.world.told { note(client: it.client, session: it.session, account: it.account) }
        for (index, browser) in second.world.browsers.enumerated() where browser.requests > browsers[index].requests {
            browsers[index] = browser
        }
        secrets = zip(secrets, second.world.secrets).map { $0.count > $1.count ? $0 : $1 }
        try await node.send()
        try await noteAccounts()
        return Outcome(
            answer: answers.joined(separator: " | "), sent: emails(), received: try messages(),
            recorded: try await rows(since: clock.now))
    }
}

/// A world in a task of its own.
private struct Together: @unchecked Sendable {
    let world: World
}
