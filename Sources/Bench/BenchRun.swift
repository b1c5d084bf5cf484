import Foundation

/// The order of measurements: start, sign-ins, pairs with the disk's yardstick in between, plain routes, a full
/// database.
struct BenchRun {
    let options: BenchOptions
    private let report = Report()

    init(options: BenchOptions) {
        self.options = options
    }

    /// An even number: half of the slices are the second half of the run.
    private static let slices = 6

    func run() throws {
        let folder = "\(options.parent)/swift-sso-bench.\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        report.title("\(options.pairs) login pairs, \(options.concurrency) at once")
        try with(try BenchIdP(programs: options.programs, folder: "\(folder)/fresh")) { idp in
            try idp.start()
            report.line("start-up to the first answer", seconds: idp.server.startUp)
            report.line("resident memory, idle after start", mebibytes: idp.server.residentMemory)
            try pairs(idp, folder)
            try Yardsticks(options: options, idp: idp, folder: folder).run(report)
            try idp.server.stop()
        }
        if options.seededTokens + options.seededSessions > 0 { try fullAgainstFresh(folder) }
    }

    private func pairs(_ idp: BenchIdP, _ folder: String) throws {
        let run = try PairRun(idp, concurrency: options.concurrency)
        var sqlite = try SQLiteYardstick(
            path: "\(folder)/yardstick.sqlite", schema: TokenRows.schema(of: idp.databasePath))
        let time = Double(options.yardstickSeconds) / Double(Self.slices)
        var (oneCommit, twoCommits, gathered): ([Double], [Double], [Double]) = ([], [], [])
        for _ in 0..<Self.slices {
            try run.slice(max(options.pairs / Self.slices, 1))
            oneCommit.append(try sqlite.perSecond(inOneTransaction: 1, for: time))
            twoCommits.append(try sqlite.perSecondWithTwoCommits(for: time))
            gathered.append(try sqlite.perSecond(inOneTransaction: 64, for: time))
        }
        report.title("on a fresh database")
        run.print(report)
        report.title("straight on SQLite in between, one thread, WAL, synchronous=FULL")
        report.line("two statements, one commit", perSecond: oneCommit, against: run.rates)
        report.line("two statements, two commits", perSecond: twoCommits, against: run.rates)
        report.line("64 times two statements, one commit", perSecond: gathered, against: run.rates)
    }

    /// Two IdPs, one on a full database and one on an empty one, in turns.
    private func fullAgainstFresh(_ folder: String) throws {
        report.title("with \(options.seededTokens) used tokens and \(options.seededSessions) sessions")
        try with(try BenchIdP(programs: options.programs, folder: "\(folder)/full")) { full in
            try full.start()
            try full.server.stop()
            try TokenRows.seed(full.databasePath, tokens: options.seededTokens, sessions: options.seededSessions)
            try full.start()
            report.line("start-up to the first answer", seconds: full.server.startUp)
            report.line("resident memory, idle after start", mebibytes: full.server.residentMemory)
            try with(try BenchIdP(programs: options.programs, folder: "\(folder)/empty")) { empty in
                try empty.start()
                let runs = try [full, empty].map { try PairRun($0, concurrency: options.concurrency) }
                for _ in 0..<Self.slices {
                    for run in runs { try run.slice(max(options.pairs / Self.slices / 2, 1)) }
                }
                runs[0].print(report)
                report.line("in turns with it, on an empty database", perSecond: runs[1].rates, against: runs[0].rates)
                try empty.server.stop()
            }
            try full.server.stop()
        }
    }

    /// Adds what the program said last to whatever goes wrong: its folder is gone after the run.
    private func with(_ idp: BenchIdP, _ body: (BenchIdP) throws -> Void) throws {
        do {
            try body(idp)
        } catch {
            throw BenchFault("\(error)\n\(idp.logEnd)")
        }
    }
}
