import Foundation
import JWT

/// Measures what a sign-in with a provider costs: the callback, cold and warm, beside a login.
struct FederationRun {
    /// The options of the command line that count here.
    static let options: Set<String> = ["--rounds", "--program", "--parent"]

    /// How many callbacks are measured together. The kernel counts processor time in steps of 10 ms.
    private static let batch = 300
    /// How long a provider that is far away takes for a call.
    private static let farAway: UInt32 = 200

    let options: BenchOptions

    func run() throws {
        let folder = "\(options.parent)/swift-sso-bench.\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let providers = [try BenchProvider(ProviderKey(.rs256)), try BenchProvider(ProviderKey(.es256))]
        let file = "\(folder)/providers.yaml"
        let idp = try IdPUnderTest(
            options.program, folder: "\(folder)/this", label: "this build", settings: ["IDP_PROVIDERS_FILE": file])
        try "providers:\n\(providers.map(\.entry).joined())".write(toFile: file, atomically: true, encoding: .utf8)
        try idp.start()
        try cold(idp, providers)
        try warm(idp, providers)
        try idp.stop()
    }

    /// The first callback of a process that knows neither the discovery document nor the keys: the IdP starts again while the
    /// user is at the provider.
    private func cold(_ idp: IdPUnderTest, _ providers: [BenchProvider]) throws {
        Report.title("cold callback, the provider answers each call after \(Self.farAway) ms")
        var times = providers.map { _ in [Double]() }
        for round in 0..<options.rounds {
            for index in Self.order(round, providers.count) {
                let provider = providers[index]
                let visits = try idp.visit(provider, 1)
                try idp.stop()
                try idp.start()
                provider.setDelay(milliseconds: Self.farAway)
                // The discovery document, the keys, the code.
                times[index].append(try idp.callBack(visits, at: provider, calls: 3).ownTime)
                provider.setDelay(milliseconds: 0)
            }
        }
        for (provider, times) in zip(providers, times) {
            Report.line(
                "\(provider.key.algorithm), beyond the provider's time",
                "\(Report.range(times.map { $0 * 1_000 }, 1)) ms")
        }
    }

    /// Callbacks of new users, one at a time. The provider answers at once.
    private func warm(_ idp: IdPUnderTest, _ providers: [BenchProvider]) throws {
        try idp.signIn(1)
        // Connections, caches and statements are warm afterwards.
        _ = try idp.logIn(concurrency: 1, seconds: 1)
        for provider in providers { _ = try idp.callBack(idp.visit(provider, 10), at: provider, calls: nil) }
        var (logins, callbacks) = ([Double](), providers.map { _ in [Double]() })
        for round in 0..<options.rounds {
            for index in Self.order(round, providers.count + 1) {
                if index == providers.count {
                    let login = try idp.logIn(concurrency: 1, seconds: 1)
                    guard login.errors.isEmpty else { throw BenchError("logins failed: \(login.errors)") }
                    logins.append(login.processorTime)
                } else {
                    let visits = try idp.visit(providers[index], Self.batch)
                    callbacks[index].append(try idp.callBack(visits, at: providers[index], calls: 1).processorTime)
                }
            }
        }
        Report.title("warm callback, \(options.rounds * Self.batch) of each kind, 1 call at the provider each")
        for (provider, times) in zip(providers, callbacks) {
            Report.line(
                "\(provider.key.algorithm), processor time per callback",
                "\(Report.range(times.map { $0 * 1_000 }, 2)) ms")
        }
        Report.line("processor time per login", "\(Report.range(logins.map { $0 * 1_000 }, 2)) ms")
        for (provider, times) in zip(providers, callbacks) {
            Report.line("\(provider.key.algorithm), callback to login", Report.range(zip(times, logins).map(/), 2))
        }
    }

    /// The first of a round may have an advantage, so rounds go forth and back.
    private static func order(_ round: Int, _ count: Int) -> [Int] {
        round.isMultiple(of: 2) ? Array(0..<count) : (0..<count).reversed()
    }
}
