import HTTPTypes
public import Hummingbird
import NIOCore

/// `/healthz`: the process serves. `/readyz`: it can do its work, or 503 with the reason (contract 7).
public struct HealthRoutes: Sendable {
    private let database: any Database

    /// Readiness is that of this database.
    public init(database: any Database) { self.database = database }

    /// Adds both addresses, with GET and HEAD.
    public func add<Context: RequestContext>(to router: Router<Context>) {
        router.only([.get, .head], at: "/healthz") { request, _ in
            Self.answer(.ok, "ok", type: "text/plain; charset=utf-8", to: request)
        }
        router.only([.get, .head], at: "/readyz") { [database] request, _ in
            do {
                try await database.checkReady()
                return Self.answer(.ok, #"{"status":"ready"}"#, type: "application/json", to: request)
            } catch {
                let body = #"{"status":"unavailable","reason":"database"}"#
                return Self.answer(.serviceUnavailable, body, type: "application/json", to: request)
            }
        }
    }

    private static func answer(
        _ status: HTTPResponse.Status, _ body: String, type: String, to request: Request
    ) -> Response {
        let response = Response(
            status: status, headers: [.contentType: type], body: .init(byteBuffer: ByteBuffer(string: body)))
        return request.method == .head ? response.createHeadResponse() : response
    }
}
