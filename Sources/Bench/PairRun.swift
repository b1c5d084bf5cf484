/// Login pairs at one IdP, in slices, so that something else can be measured in between while the disk is in the same
/// mood.
final class PairRun {
    let idp: BenchIdP
    private let loop: LoadLoop
    private var script: PairScript
    private let memoryBefore: Double
    private var memory: [Double] = []
    private let processorBefore: Double
    private var seconds = 0.0
    private var ownSeconds = 0.0
    /// Pairs a second, slice by slice.
    private(set) var rates: [Double] = []

    /// Pairs before the measurement: connections, caches and statements are warm after it.
    static let warmUp = 2_000

    /// Signs in the browsers and warms up.
    init(_ idp: BenchIdP, concurrency: Int) throws {
        self.idp = idp
        let cookies = try idp.signIn(concurrency)
        loop = LoadLoop(connections: try idp.connections(concurrency))
        var first = idp.script(cookies: cookies)
        first.aim(for: Self.warmUp)
        _ = try loop.run(&first)
        script = idp.script(cookies: cookies)
        script.begin(after: Self.warmUp + concurrency)
        (memoryBefore, processorBefore) = (idp.server.residentMemory, idp.server.processorTime)
    }

    func slice(_ pairs: Int) throws {
        let before = script.done
        script.aim(for: pairs)
        let cost = try loop.run(&script)
        seconds += cost.seconds
        ownSeconds += cost.ownShare * cost.seconds
        rates.append(Double(script.done - before) / cost.seconds)
        memory.append(idp.server.residentMemory)
    }

    func print(_ report: Report) {
        let processor = (idp.server.processorTime - processorBefore) / Double(max(script.done, 1))
        report.line("login pairs", perSecond: Double(script.done) / seconds)
        report.latencies("authorize", script.authorize)
        report.latencies("verify", script.verify)
        report.latencies("whole pair", script.whole)
        report.line("errors", text: script.errors.isEmpty ? "none" : "\(script.errors)")
        report.line("resident memory before, after each slice", text: Report.mebibytes([memoryBefore] + memory))
        report.line("processor time of the IdP a pair", text: Report.microseconds(processor))
        report.line("the load generator's share of one core", text: Report.percent(ownSeconds / seconds))
    }
}
