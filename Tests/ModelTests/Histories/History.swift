import Testing

@testable import IdPTestKit

/// Where the program and the model differ.
struct Difference: Sendable {
    /// After how many operations.
    let index: Int
    let expected, actual: Outcome

    /// What the difference is about, so that shrinking does not run into another one.
    var subject: String {
        if expected.answer != actual.answer {
            return "answer \(Self.kind(expected.answer)) \(Self.kind(actual.answer))"
        }
        if expected.sent != actual.sent { return "email" }
        return expected.received != actual.received ? "message" : "audit row"
    }

    private static func kind(_ answer: String) -> String {
        answer.split(separator: " ").prefix(2).joined(separator: " ")
    }
}

/// Carries operations out in the program and in the model.
enum History {
    /// - Returns: the first difference, and how many operations were carried out.
    static func run(
        _ operations: [Operation], seed: UInt64, adding added: AddedSteps? = nil, counts: inout Counts
    ) async throws -> Difference? {
        let world = try await World(seed: seed, adding: added)
        var model = Model()
        model.history.added = added?.model
        model.history.hasBackups = !DeploymentDatabases.areOnPostgres
        var (models, found): ([Model], Difference?) = ([model], nil)
        for (index, operation) in operations.enumerated() {
            let branches = models.flatMap { $0.branches(operation) }
            let actual: Outcome
            do { actual = try await world.step(operation) } catch {
                actual = Outcome(answer: "throws \(error)", sent: [], received: [])
            }
            counts.note(operation, actual.answer)
            models = Array(branches.filter { $0.outcome == actual }.map(\.model).prefix(32))
            if models.isEmpty {
                // The one that is nearest.
                let nearest = branches.first { $0.outcome.answer == actual.answer } ?? branches[0]
                found = Difference(index: index, expected: nearest.outcome, actual: actual)
                break
            }
        }
        for (cause, count) in try await world.causes() { counts.causes[cause, default: 0] += count }
        await world.end()
        return found
    }

    /// Holds the program to a history that has found something once.
    static func agree(_ operations: [Operation], seed: UInt64, adding added: AddedSteps? = nil) async throws {
        var counts = Counts()
        guard let difference = try await run(operations, seed: seed, adding: added, counts: &counts) else { return }
        let (shortest, again) = try await shrink(operations, difference, seed: seed, adding: added)
        Issue.record("after \(counts.total) operations of this history:\n\(text(shortest, again, seed: seed))")
    }

    /// Holds the program with an added feature to random histories, always the same ones.
    static func agree(of count: UInt64, adding added: AddedSteps, named names: [String]) async throws {
        for seed in 1...count {
            var generator = Generator(seed, adding: names)
            try await agree(generator.history(), seed: seed, adding: added)
        }
    }

    /// Every step with what the program makes of it.
    static func transcript(_ operations: [Operation], seed: UInt64) async throws -> String {
        let world = try await World(seed: seed)
        var lines: [String] = []
        for operation in operations {
            lines.append("\(operation.swift) \(try await world.step(operation).lines.joined(separator: "; "))")
        }
        await world.end()
        return lines.joined(separator: "\n")
    }

    /// The shortest history with the same difference: drops operations, and shortens times, until nothing more can go.
    static func shrink(
        _ operations: [Operation], _ difference: Difference, seed: UInt64, adding added: AddedSteps? = nil,
        runs limit: Int = 250
    ) async throws -> ([Operation], Difference) {
        var (best, found) = (Array(operations.prefix(difference.index + 1)), difference)
        var (runs, unused) = (0, Counts())
        func holds(_ candidate: [Operation]) async throws -> Bool {
            guard runs < limit else { return false }
            runs += 1
            guard let again = try await run(candidate, seed: seed, adding: added, counts: &unused),
                again.subject == found.subject
            else { return false }
            (best, found) = (Array(candidate.prefix(again.index + 1)), again)
            return true
        }
        var size = max(1, best.count / 2)
        while size >= 1 {
            var start = 0
            while start < best.count {
                var candidate = best
                candidate.removeSubrange(start..<min(best.count, start + size))
                if candidate.isEmpty { break }
                if try await !holds(candidate) { start += size }
            }
            if size == 1, runs < limit, try await isSimpler(best, holds) { continue }
            size = size == 1 ? 0 : max(1, size / 2)
        }
        return (best, found)
    }

    /// Whether a single operation could be made simpler.
    private static func isSimpler(
        _ best: [Operation], _ holds: ([Operation]) async throws -> Bool
    ) async throws -> Bool {
        for index in best.indices {
            for simpler in best[index].simpler {
                var candidate = best
                candidate[index] = simpler
                if try await holds(candidate) { return true }
            }
        }
        return false
    }

    /// As a test to paste, with both readings beside it.
    static func text(_ operations: [Operation], _ difference: Difference, seed: UInt64) -> String {
        let lines = operations.map { "            \($0.swift)," }.joined(separator: "\n")
        return """
            seed \(seed), \(operations.count) operations, the last one differs:
                @Test func history\(seed)() async throws {
                    try await History.agree([
            \(lines)
                    ], seed: \(seed))
                }
              the model:   \(difference.expected.lines.joined(separator: "; "))
              the program: \(difference.actual.lines.joined(separator: "; "))

            """
    }
}

extension Operation {
    /// The same with a shorter time, or less.
    var simpler: [Operation] {
        switch self {
        case .wait(let seconds):
            [1, 60, 61, 300, 600, 3600, 7200, 43_200, 86_400].filter { $0 < seconds }.map { .wait(seconds: $0) }
        case .type(let browser, let code, true): [.type(browser: browser, code: code, remember: false)]
        case .kill(let step, let steps): [step] + (steps > 0 ? [.kill(step, after: steps - 1)] : [])
        case .authorize(let browser, let client, let wish) where wish != .none:
            [.authorize(browser: browser, client: client, wish: .none)]
        default: []
        }
    }
}

/// How often each operation was carried out, how often each answer was given, and which causes the audit log has of refusals.
struct Counts: Sendable {
    var operations: [String: Int] = [:]
    var answers: [String: Int] = [:]
    var causes: [String: Int] = [:]
    var total = 0

    mutating func note(_ operation: Operation, _ answer: String) {
        let name = operation.name
        operations[name, default: 0] += 1
        let words = answer.split(separator: " ").map(String.init).filter { Int($0) == nil || $0.count == 3 }
        answers["\(name): \(words.prefix(2).joined(separator: " "))", default: 0] += 1
        total += 1
    }

    func print(histories: Int, in span: Duration) {
        let speed = Double(total) / (Double(span.components.seconds) + 0.001)
        Swift.print("\(total) operations in \(histories) histories, \(Int(speed)) a second")
        for (title, all) in [("Operations", operations), ("Answers", answers), ("Causes in the audit log", causes)] {
            Swift.print("\(title):")
            for (name, count) in all.sorted(by: { $0.key < $1.key }) { Swift.print("  \(count)  \(name)") }
        }
    }
}
