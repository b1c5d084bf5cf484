import ArgumentParser
import Foundation
import Glibc
import Synchronization

/// Measures and fuzzes the library for script/bench and script/fuzz. Not a product.
@main
struct WellKnownBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "WellKnownBench", abstract: "Speed and hostile input for the association-file library.",
        subcommands: [Fuzz.self, Oracle.self, Speed.self])
}

/// Runs the library with mutated files, patterns and URLs, and measures the time.
struct Fuzz: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fuzz",
        abstract: "Runs seeded cases; exits 1 when one takes longer than the limit, and crashes where the library does."
    )

    @Option(help: "How many cases.") var count = 1_000_000
    @Option(help: "Stops after so many seconds, with what was done until then.") var seconds = 1_500
    @Option(help: "Where the random numbers begin.") var seed: UInt64 = 1
    @Option(help: "Milliseconds of processor time a case may take.") var limit = 50
    @Option(help: "A folder of bodies to mutate besides the built-in ones.") var corpus: String?
    @Option(help: "Runs this one case alone, to look at what was reported.") var only: Int?
    @Option(help: "A file with the number of the current case, for use after a crash.") var progress: String?

    func run() throws {
        let bodies = FuzzSeeds.all + (try corpus.map(FuzzSeeds.read) ?? [])
        let note = try progress.map(ProgressNote.init)
        let watch = Watchdog()
        let begin = ContinuousClock.now
        var slowest: [(case: Int, milliseconds: Double)] = []
        var done = 0
        for index in only.map({ $0..<$0 + 1 }) ?? 0..<count {
            if index % 1_024 == 0, ContinuousClock.now - begin > .seconds(seconds) { break }
            note?.write(index)
            watch.see(index)
            var time = measure(index, bodies)
            // Other processes affect the caches. A case counts only if it is slow in every run.
            for _ in 0..<2 where time > Double(limit) { time = min(time, measure(index, bodies)) }
            done += 1
            if slowest.count < 5 || time > slowest[4].milliseconds {
                slowest = Array((slowest + [(index, time)]).sorted { $0.milliseconds > $1.milliseconds }.prefix(5))
            }
        }
        print("\(done) cases of seed \(seed) over \(bodies.count) bodies in \(ContinuousClock.now - begin)")
        for item in slowest { print("  case \(item.case): \(String(format: "%.2f", item.milliseconds)) ms") }
        if let worst = slowest.first, worst.milliseconds > Double(limit) {
            print("too slow: case \(worst.case); look at it with --seed \(seed) --only \(worst.case)")
            throw ExitCode(1)
        }
        guard done > 0 else { throw ExitCode(1) }
    }

    private func measure(_ index: Int, _ bodies: [[UInt8]]) -> Double {
        var random = SplitMix(seed: seed &* 0x1_0000_0001 &+ UInt64(index))
        let begin = Self.processorTime()
        FuzzCase.run(&random, bodies)
        return Self.processorTime() - begin
    }

    /// The processor time of this thread in milliseconds.
    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1_000 + Double(time.tv_nsec) / 1_000_000
    }
}

/// Writes the number of the current case to a file.
struct ProgressNote {
    private let file: Int32

    init(path: String) throws {
        file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw ValidationError("\(path) cannot be written") }
    }

    func write(_ index: Int) {
        let text = Array("\(index)\n".utf8)
        _ = pwrite(file, text, text.count, 0)
    }
}

/// Ends the process if a case does not end, because a hang is a failure like a crash.
final class Watchdog: Sendable {
    private let current = Atomic<Int>(-1)

    init() {
        let thread = Thread { [unowned self] in watch() }
        thread.start()
    }

    func see(_ index: Int) { current.store(index, ordering: .relaxed) }

    private func watch() {
        var last = -2
        while true {
            sleep(20)
            let now = current.load(ordering: .relaxed)
            if now == last {
                print("case \(now) has been running for 20 seconds or more")
                exit(3)
            }
            last = now
        }
    }
}
