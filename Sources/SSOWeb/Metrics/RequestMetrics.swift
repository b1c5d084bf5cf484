import CoreMetrics
package import Hummingbird
import Synchronization

/// Counts requests and their time, by route and status class.
///
/// Not Hummingbird's own middleware: that keeps an entry for each method that somebody sends, and three metrics for each
/// status. Routes are the patterns of the router, of which there is a fixed number; all other paths are one, `NotFound`.
package struct RequestMetrics<Context: WebRequestContext>: RouterMiddleware {
    private let registry: MetricsRegistry
    private let series = RequestSeries()

    package init(_ registry: MetricsRegistry) { self.registry = registry }

    package func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        do {
            let response = try await next(request, context)
            count(response.status.code, context, since: start)
            return response
        } catch {
            count(500, context, since: start)
            throw error
        }
    }

    /// One for all assets, whose paths change with their content, and one for each section of pages: every label takes series of
    /// ``MetricsRegistry/limit``.
    static func label(of route: String?) -> String {
        guard let route else { return "-" }
        if let section = RequestSeries.sections.first(where: { route.hasPrefix($0 + "/") }) { return section }
        return route.hasPrefix(StaticAssets.folder) ? StaticAssets.folder : route
    }

    private func count(_ status: Int, _ context: Context, since start: ContinuousClock.Instant) {
        let route = Self.label(of: context.endpointPath)
        let (requests, seconds) = series.of(route, status / 100, registry)
        requests.increment()
        let time = (ContinuousClock.now - start).components
        seconds.increment(by: Double(time.seconds) + Double(time.attoseconds) / 1e18)
    }
}

/// The series of requests that were used already.
private final class RequestSeries: Sendable {
    /// The pages of an account and of admins, with the forms below them. They are many and seldom asked for.
    static let sections = [
        "/address", "/admin", "/app-keys", "/erase", "/identities", "/name", "/passkeys", "/picture", "/sessions",
    ]

    struct Key: Hashable {
        let route: String
        let statusClass: Int
    }

    private let known = Mutex<[Key: (Counter, FloatingPointCounter)]>([:])

    func of(_ route: String, _ statusClass: Int, _ registry: MetricsRegistry) -> (Counter, FloatingPointCounter) {
        known.withLock { known in
            let key = Key(route: route, statusClass: statusClass)
            if let series = known[key] { return series }
            let requests = Counter(
                label: CommonMetrics.requests.name,
                dimensions: [("route", route), ("status", "\(statusClass)xx")], factory: registry)
            let seconds = FloatingPointCounter(
                label: CommonMetrics.requestSeconds.name, dimensions: [("route", route)], factory: registry)
            known[key] = (requests, seconds)
            return (requests, seconds)
        }
    }
}
