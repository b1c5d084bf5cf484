import Foundation

/// The order of measurements. Everything that is compared runs in turns, since the speed of a shared machine changes within
/// minutes: figures of two runs cannot be compared, ratios within one run can.
struct BenchRun {
    let options: BenchOptions

    func run() throws {
        let folder = "\(options.parent)/swift-sso-bench.\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        if let server = options.postgres { return try measure(onPostgres(server, folder)) }
        var builds = [try IdPUnderTest(options.program, folder: "\(folder)/this", label: "this build")]
        if let other = options.against {
            builds.append(try IdPUnderTest(other, folder: "\(folder)/other", label: "the other build"))
        }
        try measure(builds)
        guard !options.seed.isEmpty else { return }
        // Both know the client that the messages wait for, and that answers none.
        let full = try IdPUnderTest(
            options.program, folder: "\(folder)/full", label: "full database", hasDeadClient: true)
        let empty = try IdPUnderTest(
            options.program, folder: "\(folder)/empty", label: "empty database", hasDeadClient: true)
        try full.start()
        try full.stop()
        try options.seed.insert(into: full.databasePath)
        try measure([full, empty])
    }

    /// One node on PostgreSQL and what it is compared with: several nodes, a full database, or SQLite.
    ///
    /// - Parameter server: has the empty databases `one` and `other`.
    private func onPostgres(_ server: String, _ folder: String) throws -> [IdPUnderTest] {
        func idp(_ label: String, on database: String, nodes: Int = 1) throws -> IdPUnderTest {
            try IdPUnderTest(
                options.program, folder: "\(folder)/\(database)", label: label,
                settings: ["IDP_DATABASE_URL": "\(server) dbname=\(database)"], nodes: nodes)
        }
        if options.nodes > 1 {
            return [
                try idp("\(options.nodes) nodes", on: "other", nodes: options.nodes), try idp("one node", on: "one"),
            ]
        }
        if !options.seed.isEmpty {
            let source = try IdPUnderTest(
                options.program, folder: "\(folder)/source", label: "source", hasDeadClient: true)
            try source.start()
            try source.stop()
            try options.seed.insert(into: source.databasePath)
            try source.copyDatabase(to: "\(server) dbname=other")
            return [try idp("full database", on: "other"), try idp("empty database", on: "one")]
        }
        return [
            try idp("PostgreSQL", on: "one"),
            try IdPUnderTest(options.program, folder: "\(folder)/sqlite", label: "SQLite"),
        ]
    }

    /// Measures several IdPs in turns. Ratios are those of the first to the second.
    private func measure(_ idps: [IdPUnderTest]) throws {
        for idp in idps {
            try idp.start()
            Report.title(idp.label)
            Report.line("start-up to the first answer", "\(Report.number(idp.startUp, 3)) s")
            Report.line("resident memory, idle", "\(Report.number(idp.residentMemory, 1)) MiB")
            try idp.signIn(options.concurrency.max() ?? 1)
            // Connections, caches and statements are warm afterwards.
            _ = try idp.logIn(concurrency: options.concurrency.max() ?? 1, seconds: 1)
        }
        for concurrency in options.concurrency {
            var results = idps.map { _ in Measurements() }
            for round in 0..<options.rounds {
                // The second of a round may have an advantage, so each is first in half of the rounds.
                for index in round.isMultiple(of: 2) ? Array(idps.indices) : idps.indices.reversed() {
                    results[index].logins.append(
                        try idps[index].logIn(concurrency: concurrency, seconds: options.seconds))
                    results[index].constantRates.append(
                        try idps[index].constantRate(concurrency: concurrency, seconds: options.seconds / 2))
                }
            }
            Report.title("\(concurrency) at once")
            for (idp, result) in zip(idps, results) { Report.table(idp.label, result) }
            if results.count == 2 { Report.ratios(results[0], results[1]) }
        }
        Report.title("after the run")
        for idp in idps {
            Report.line("resident memory, \(idp.label)", "\(Report.number(idp.residentMemory, 1)) MiB")
            try idp.stop()
        }
    }
}

/// What one IdP did at one concurrency, round by round.
struct Measurements {
    var logins: [LoginResult] = []
    /// Answers per second of a route that does no work.
    var constantRates: [Double] = []

    var rates: [Double] { logins.map(\.perSecond) }
    var processorTimes: [Double] { logins.map(\.processorTime) }
    /// In milliseconds.
    func latency(_ share: Double) -> Double { Statistics.percentile(logins.flatMap(\.latencies), share) / 1_000 }
    /// A login is two requests: its rate as a share of half the constant route's rate.
    var shares: [Double] { zip(rates, constantRates).map { $0 / ($1 / 2) } }
    var errors: [Int: Int] { logins.reduce(into: [:]) { $0.merge($1.errors, uniquingKeysWith: +) } }
}

/// One measurement of logins.
struct LoginResult {
    let perSecond: Double
    /// Processor time of the IdP per login, in seconds.
    let processorTime: Double
    /// Of whole logins, in microseconds.
    let latencies: [UInt32]
    /// Status and how often, for responses other than 200. Broken connections have status 0.
    let errors: [Int: Int]
    /// The load generator's share of one core. Above a quarter it takes from the server what it measures.
    let generatorShare: Double
}

enum Statistics {
    static func median(_ values: [Double]) -> Double {
        let (sorted, middle) = (values.sorted(), values.count / 2)
        guard !sorted.isEmpty else { return 0 }
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    static func percentile(_ values: [UInt32], _ share: Double) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return 0 }
        let rank = Int((share * Double(sorted.count)).rounded(.up))
        return Double(sorted[min(max(rank, 1), sorted.count) - 1])
    }
}
