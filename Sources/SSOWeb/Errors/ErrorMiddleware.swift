import HTTPTypes
public import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import Storage

/// Turns every error into a page, or into JSON for programs, and a line in the log with the same reference.
///
/// The cause goes to the log only. An unexpected error becomes a 500 page and does not end the process.
public struct ErrorMiddleware<Context: WebRequestContext>: RouterMiddleware {
    let pages: Pages
    let jsonPaths: PathPatterns

    /// - Parameter jsonPaths: paths that programs request, as in ``PathPatterns``. Their error body is `{"error":"CODE","error_description":"…"}`.
    public init(pages: Pages, jsonPaths: Set<String> = []) {
        self.pages = pages
        self.jsonPaths = PathPatterns(jsonPaths)
    }

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPParserError {
            throw error  // The body is not HTTP. The framework answers with a bare 400 and closes the connection.
        } catch {
            let publicError = Self.publicError(for: error)
            if !publicError.isLogged { log(publicError, request, context) }
            return isForProgram(request)
                ? json(publicError) : pages.response(publicError, context.reference.description, for: request)
        }
    }

    private func isForProgram(_ request: Request) -> Bool {
        request.prefersJSON || jsonPaths.contain(request.uri.path)
    }

    static func publicError(for error: any Error) -> PublicError {
        switch error {
        case let error as PublicError: error
        case let error as DatabaseError: .unavailable("\(error)")
        case let error as URLEncodedFields.FieldError: .field(error)
        case let error as any HTTPResponseError where error.status == .notFound: .notFound
        case let error as any HTTPResponseError where (400..<500).contains(error.status.code):
            PublicError(
                error.status, code: "invalid_request", title: Text("error.bad-request.title"),
                explanation: Text("error.bad-request"), cause: "refused_by_framework")
        case is NIOTooManyBytesError: .tooLarge
        case is IOError, is ChannelError: .badRequest(cause: "connection_ended")
        case is CancellationError: .unavailable("the request was cancelled")
        default:
            PublicError(
                .internalServerError, code: "internal_error", title: Text("error.internal.title"),
                explanation: Text("error.internal"),
                cause: "\(type(of: error))")
        }
    }

    /// The description is for developers, so it is English. Users read where to go, programs that the path is wrong.
    private func json(_ error: PublicError) -> Response {
        var headers = error.headers
        headers[.contentType] = "application/json"
        let isUnknownPath = error.code == PublicError.notFound.code
        let body = error.json(
            description: isUnknownPath
                ? "There is nothing at this path." : pages.texts(in: .english).plain(error.explanation))
        return Response(status: error.status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: body)))
    }

    private func log(_ error: PublicError, _ request: Request, _ context: Context) {
        var event = Event(
            error.status.code >= 500 ? .requestFailed : .requestRefused, cause: error.cause ?? error.code,
            ["status": .number(error.status.code), "code": .string(error.code)])
        if error.code == PublicError.notFound.code { event.further["path"] = "\(SentText.path(request.uri.path))" }
        for (name, value) in error.logFields { event.further[name] = .string(value) }
        context.logger.record(event)
    }
}
