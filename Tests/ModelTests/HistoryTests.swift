import Foundation
import Testing

@testable import TestKit

@Suite("Random histories", .program)
struct HistoryTests {
    @Test("the program answers random histories as the model does")
    func histories() async throws {
        let environment = ProcessInfo.processInfo.environment
        let seconds = Double(environment["MODEL_SECONDS"] ?? "") ?? 20
        let first = UInt64(environment["MODEL_SEED"] ?? "") ?? 1
        let began = ContinuousClock.now
        var (counts, seed, found) = (Counts(), first, Set<String>())
        repeat {
            var generator = Generator(seed)
            let operations = generator.history()
            if let difference = try await History.run(operations, seed: seed, counts: &counts) {
                if found.insert(difference.subject).inserted {
                    let (shortest, again) = try await History.shrink(operations, difference, seed: seed)
                    print(History.text(shortest, again, seed: seed))
                }
                Issue.record("seed \(seed): \(difference.subject)")
            }
            seed += 1
        } while ContinuousClock.now - began < .seconds(seconds) && environment["MODEL_ONE"] == nil && found.count < 14
        let taken = ContinuousClock.now - began
        print("\(counts.total) operations in \(seed - first) histories, \(taken)")
        for (name, count) in counts.answers.sorted(by: { $0.key < $1.key }) { print("  \(count)  \(name)") }
    }
}
