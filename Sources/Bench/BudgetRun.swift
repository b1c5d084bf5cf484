import Foundation
import Glibc
import SSOShared

/// Counts what one request of each kind asks of malloc, and what a login costs of each other thing that does not depend on the
/// speed of the machine. The repository has a bound for each (CONTRIBUTING.md).
struct BudgetRun {
    static let options: Set<String> = ["--program", "--parent", "--library", "--bounds"]
    /// Requests of one batch, and batches of one kind. Work that is not of a request, such as a timer, falls into few batches.
    private static let (requests, batches) = (25, 21)
    /// How much more than its bound a kind may need, in percent, if it is more than two: hash seeds and buffers that grow
    /// differ from run to run.
    private static let tolerance = 3.0

    let options: BenchOptions

    func run() throws {
        let bounds = try Bounds(options.bounds)
        let folder = "\(options.parent)/swift-sso-budget.\(getpid())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let counter = try CostCounter(file: "\(folder)/count")
        let idp = try IdPUnderTest(
            options.program, folder: "\(folder)/idp", label: "this build",
            settings: ["LD_PRELOAD": options.library, "COST_COUNT_FILE": counter.file])
        try idp.start()
        guard counter.allocations > 0 else { throw BenchError("\(options.library) counts nothing") }
        try idp.signIn(1 + 2 * Self.batches)

        Report.title("allocations of one request, costs of a login, and their bounds")
        var counted: [(name: String, count: Double)] = []
        func count(_ name: String, _ batch: (_ requests: Int) throws -> [RequestKind]) throws {
            counted.append((name, try median(of: batch, at: idp, counter)))
        }
        for kind in idp.plainKinds() { try count(kind.name) { [RequestKind](repeating: kind, count: $0) } }
        var browser = 0
        try count("GET /auth/sso/authorize, signed in") { count in
            browser += 1
            return (0..<count).map { _ in idp.authorize(browser: browser) }
        }
        try count("POST /auth/sso/verify") { count in
            browser += 1
            return try idp.verifications(count, browser: browser)
        }
        counted.append(("a login (both)", counted.suffix(2).map(\.count).reduce(0, +)))
        counted += try costs(of: "a login alone", 1, at: idp, counter).dropFirst()
        counted += try costs(of: "a login, 16 at once", 16, at: idp, counter)
        let failures = bounds.report(counted, tolerance: Self.tolerance)
        try idp.stop()
        guard failures.isEmpty else {
            throw BenchError("over the bound: \(failures.joined(separator: ", "))")
        }
    }

    /// What a login costs while so many browsers sign in. Logins at once share commits: what the batch costs must not exceed what it
    /// saves.
    private func costs(
        of name: String, _ concurrency: Int, at idp: IdPUnderTest, _ counter: CostCounter
    ) throws -> [(name: String, count: Double)] {
        _ = try idp.logIn(concurrency: concurrency, seconds: 0.3)
        let runs = try (0..<5).map { _ in
            let (counts, wakeUps) = (counter.values, try idp.wakeUps())
            let result = try idp.logIn(concurrency: concurrency, seconds: 0.3)
            guard result.errors.isEmpty, !result.latencies.isEmpty else {
                throw BenchError("logins of \(concurrency) browsers failed: \(result.errors)\n\(idp.logEnd)")
            }
            let woken = try idp.wakeUps() - wakeUps
            let logins = Double(result.latencies.count)
            return zip(counter.values, counts).map { Double($0 - $1) / logins } + [Double(woken) / logins]
        }
        let names = ["", ": statements", ": pages written", ": wake-ups"]
        return names.enumerated().map { index, what in (name + what, Statistics.median(runs.map { $0[index] })) }
    }

    /// The median of all batches, for one request.
    private func median(
        of batch: (Int) throws -> [RequestKind], at idp: IdPUnderTest, _ counter: CostCounter
    ) throws -> Double {
        var counts: [Double] = []
        let connection = try WireConnection(port: idp.port, index: 1)
        for _ in 0..<Self.batches {
            // Ready before the count begins. The first of each batch warms the connection up.
            let kinds = try batch(Self.requests + 1)
            var before: UInt64 = 0
            for (index, kind) in kinds.enumerated() {
                if index == 1 { before = counter.allocations }
                let answer = try connection.exchange(kind.bytes)
                guard answer.status == kind.status else {
                    throw BenchError("\(kind.name) answered \(answer.status)\n\(idp.logEnd)")
                }
                if answer.closes { try connection.reconnect() }
            }
            counts.append(Double(counter.allocations - before) / Double(Self.requests))
        }
        // The first ones fill caches.
        return Statistics.median(Array(counts.dropFirst(Self.batches / 4)))
    }
}

/// One request, and the status of its answer.
struct RequestKind {
    let name: String
    let bytes: [UInt8]
    let status: Int
}

/// The numbers that `script/bench.d/budget.c` counts in another process.
private final class CostCounter {
    let file: String
    /// Allocations, statements and pages.
    private static let kinds = 3
    private let page: UnsafeMutablePointer<UInt64>

    init(file: String) throws {
        self.file = file
        let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        let size = MemoryLayout<UInt64>.size * Self.kinds
        guard descriptor >= 0, ftruncate(descriptor, size) == 0,
            let page = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), page != MAP_FAILED
        else { throw BenchError("cannot map \(file): errno \(errno)") }
        self.page = page.bindMemory(to: UInt64.self, capacity: Self.kinds)
    }

    deinit { munmap(page, MemoryLayout<UInt64>.size * Self.kinds) }

    var values: [UInt64] { Array(UnsafeBufferPointer(start: page, count: Self.kinds)) }
    var allocations: UInt64 { page.pointee }
}

/// The bounds of the repository: one kind in a line, its bound after a tab.
private struct Bounds {
    private var values: [String: Double] = [:]

    init(_ file: String) throws {
        for line in try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n") where line.first != "#" {
            let parts = line.split(separator: "\t")
            guard parts.count == 2, let value = Double(parts[1]) else {
                throw BenchError("\(file): a line is a name, a tab and a number, not: \(line)")
            }
            values[String(parts[0])] = value
        }
    }

    /// Prints every count beside its bound.
    ///
    /// - Returns: what is over its bound, and what the file names but nothing counted.
    func report(_ counted: [(name: String, count: Double)], tolerance: Double) -> [String] {
        var failures = Set(values.keys).subtracting(counted.map(\.name)).map { "\($0) was not counted" }.sorted()
        for (name, count) in counted {
            let text = Report.number(count, 0)
            guard let bound = values[name] else {
                Report.line(name, "\(text), no bound")
                failures.append("\(name) has no bound")
                continue
            }
            let difference = (count / bound - 1) * 100
            var note = ""
            if difference > tolerance, count > bound + 2 {
                note = ", over it by \(Report.number(difference, 1)) %"
                failures.append("\(name): \(text) of \(Report.number(bound, 0))")
            } else if difference < -tolerance {
                note = ", lower the bound"
            }
            Report.line(name, "\(text) of \(Report.number(bound, 0))\(note)")
        }
        return failures
    }
}
