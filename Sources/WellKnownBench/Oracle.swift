import ArgumentParser
import WellKnown

/// Compares the matchers, the comparison and the search for dead rules with a brute force that shares no code with them.
///
/// The rule sets are random and small, so that all short links can be tried. The brute force follows the vendors'
/// documents word by word and without any speed.
struct Oracle: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "oracle",
        abstract: "Compares random rule sets and manifests with a brute force; exits 1 at the first difference.")

    @Option(help: "How many rule sets and manifests.") var count = 100_000
    @Option(help: "Stops after so many seconds, with what was done until then.") var seconds = 1_500
    @Option(help: "Where the random numbers begin.") var seed: UInt64 = 1
    @Option(help: "Runs this one case alone, to look at what was reported.") var only: Int?

    func run() throws {
        let begin = ContinuousClock.now
        var done = 0
        var tally = OracleTally()
        for index in only.map({ $0..<$0 + 1 }) ?? 0..<count {
            if index % 256 == 0, ContinuousClock.now - begin > .seconds(seconds) { break }
            var random = SplitMix(seed: seed &* 0x1_0000_0001 &+ UInt64(index))
            let difference: String?
            switch index % 4 {
            case 0, 1: difference = AppleOracle.check(&random, &tally)
            case 2: difference = DynamicOracle.check(&random, &tally)
            default: difference = ManifestOracle.check(&random, &tally)
            }
            if let difference {
                print("case \(index) of seed \(seed) differs:\n\(difference)")
                throw ExitCode(1)
            }
            done += 1
        }
        print(
            "\(done) rule sets and manifests of seed \(seed), \(tally.links) links, \(tally.changes) changes, \(tally.dead) dead "
                + "rules, \(tally.open) not decided: no difference in \(ContinuousClock.now - begin)")
        guard done > 0 else { throw ExitCode(1) }
    }
}

/// What the cases covered, so that a run that checks nothing is seen.
struct OracleTally {
    var links = 0
    var changes = 0
    var dead = 0
    /// Rules and comparisons that the library did not decide within its limits.
    var open = 0
}

/// The short links that every rule set is tried with.
enum OracleLinks {
    static let queries: [String?] = [nil, "", "q=a", "q=", "q=b&q=a", "r=a&q=a"]
    static let fragments: [String?] = [nil, "a"]

    /// Every path of up to three characters after the first slash, with every query and fragment.
    static let all: [LinkURL] = {
        var paths = ["/"]
        var last = ["/"]
        for _ in 0..<3 {
            last = last.flatMap { path in ["a", "b", "/"].map { path + $0 } }
            paths += last
        }
        return paths.flatMap { path in
            queries.flatMap { query in
                fragments.compactMap { fragment in
                    LinkURL(
                        "https://example.com\(path)\(query.map { "?" + $0 } ?? "")\(fragment.map { "#" + $0 } ?? "")")
                }
            }
        }
    }()

    static let paths: [LinkURL] = all.filter { $0.query == nil && $0.fragment == nil }
}
