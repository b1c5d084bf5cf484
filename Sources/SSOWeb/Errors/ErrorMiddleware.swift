import HTTPTypes
public import Hummingbird
import Logging
import NIOCore
import NIOHTTP1

/// Turns whatever was thrown into a plain page with one way on, and a line in the log under the same reference.
///
/// Nothing of the cause reaches the visitor. A fault nobody foresaw ends as a 500 page; the process goes on.
public struct ErrorMiddleware<Context: WebRequestContext>: RouterMiddleware {
    let pages: Pages
    let jsonPaths: Set<String>

    /// - Parameter jsonPaths: where programs ask, not people: the answer is `{"error":"CODE"}` there.
    public init(pages: Pages, jsonPaths: Set<String> = []) {
        self.pages = pages
        self.jsonPaths = jsonPaths
    }

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPParserError {
            throw error  // the connection itself is broken: FramingAnswer has the words for it
        } catch {
            let failure = Self.failure(for: error)
            log(failure, error, context)
            return jsonPaths.contains(request.uri.path)
                ? Self.json(failure) : pages.failure(failure, reference: context.reference)
        }
    }

    private static func json(_ failure: PublicError) -> Response {
        var headers = failure.headers
        headers[.contentType] = "application/json"
        return Response(
            status: failure.status, headers: headers,
            body: .init(byteBuffer: ByteBuffer(string: failure.json)))
    }

    private func log(_ failure: PublicError, _ error: any Error, _ context: Context) {
        let level: Logger.Level = failure.status.code >= 500 ? .error : .notice
        context.logger.log(
            level: level, "request refused",
            metadata: [
                "status": "\(failure.status.code)", "code": "\(failure.code)",
                "cause": "\(failure.cause ?? failure.title)",
            ])
    }

    static func failure(for error: any Error) -> PublicError {
        switch error {
        case let failure as PublicError: failure
        case let failure as DatabaseFailure: .unavailable("\(failure)")
        case is URLEncodedFields.FieldError: .badRequest("A field of the form or link is doubled or broken.")
        case let error as any HTTPResponseError where error.status == .notFound: .notFound
        case let error as any HTTPResponseError where (400..<500).contains(error.status.code):
            PublicError(
                error.status, code: "invalid_request", title: "That request cannot be read",
                explanation: "The service could not make sense of it.")
        case is CancellationError: .unavailable("the request was cancelled")
        default:
            PublicError(
                .internalServerError, code: "internal_error", title: "Something went wrong here",
                explanation: "The fault is on our side and has been noted.",
                cause: "\(type(of: error))")
        }
    }
}
