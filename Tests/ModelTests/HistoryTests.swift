import Foundation
import Testing

@testable import IdPTestKit
@testable import TestKit

/// Random histories of the whole program, each from one seed, against the ``Model``. `script/model` runs them by hand.
@Suite("Random histories", .program, .alsoOnPostgres)
struct HistoryTests {
    private static let environment = ProcessInfo.processInfo.environment

    /// How long new seeds are tried: a minute of `script/test` on one core, an hour at night.
    private static var span: Duration {
        environment["MODEL_SECONDS"].flatMap { Int($0) }.map { .seconds($0) }
            ?? .seconds(TestLength.of(short: 60, nightly: 3600))
    }

    /// The first of the new seeds: another one in each run, printed with what it finds.
    private static var first: UInt64 {
        environment["MODEL_SEED"].flatMap { UInt64($0) } ?? UInt64(Date().timeIntervalSince1970) * 1000
    }

    /// How many kinds of differences a run looks for.
    private static let maximumFound = environment["MODEL_FOUND"].flatMap { Int($0) } ?? 14

    @Test("the program answers random histories of new seeds as the model does")
    func newSeeds() async throws {
        let began = ContinuousClock.now
        let first = Self.first
        var (counts, seed, found) = (Counts(), first, Set<String>())
        repeat {
            try await Self.run(seed, &counts, &found)
            seed += 1
        } while ContinuousClock.now - began < Self.span && Self.environment["MODEL_ONE"] == nil
            && found.count < Self.maximumFound
        if Self.environment["MODEL_ONE"] != nil { return print(try await Self.transcript(first)) }
        counts.print(histories: Int(seed - first), in: ContinuousClock.now - began)
    }

    @Test("the program answers the histories of every seed that has found something as the model does")
    func knownSeeds() async throws {
        let file = TestVectors.repository.appending(path: "Tests/ModelTests/seeds.txt")
        let seeds = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .compactMap { $0.split(separator: " ").first.flatMap { UInt64($0) } }
        var (counts, found) = (Counts(), Set<String>())
        for seed in seeds { try await Self.run(seed, &counts, &found) }
    }

    @Test("two runs of one seed answer and cause the same, byte for byte")
    func sameBytes() async throws {
        for seed in [7, 8, 9] as [UInt64] {
            let (one, other) = (try await Self.transcript(seed), try await Self.transcript(seed))
            #expect(one.utf8.elementsEqual(other.utf8), "\(seed)")
        }
    }

    private static func transcript(_ seed: UInt64) async throws -> String {
        var generator = Generator(seed)
        return try await History.transcript(generator.history(), seed: seed)
    }

    private static func run(_ seed: UInt64, _ counts: inout Counts, _ found: inout Set<String>) async throws {
        var generator = Generator(seed)
        let operations = generator.history()
        guard let difference = try await History.run(operations, seed: seed, counts: &counts) else { return }
        if found.insert(difference.subject).inserted {
            let (shortest, again) = try await History.shrink(operations, difference, seed: seed)
            let text = "after \(counts.total) operations:\n" + History.text(shortest, again, seed: seed)
            // At once, and not when a buffer is full.
            FileHandle.standardError.write(Data(text.utf8))
        }
        Issue.record("seed \(seed): \(difference.subject)")
    }
}
