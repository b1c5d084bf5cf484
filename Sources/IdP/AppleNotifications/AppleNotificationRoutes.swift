import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import SSOShared
import SSOWeb

/// `POST /auth/apple/notifications`: Apple's servers report what users have done there ("Processing changes for Sign in with
/// Apple accounts").
///
/// `apple` stands for every provider of that kind. The audience of the notification says which one it is for. Nothing is read
/// from the database before its signature has been checked.
struct AppleNotificationRoutes: Sendable {
    static let path = "/auth/apple/notifications"
    static let maximumBytes = 16 << 10

    let providers: ProviderRegistry
    let client: ProviderClient
    let changes: AppleChanges

    /// A route with the same parameter as the callback: beside a fixed `apple` the router would not find `/auth/:provider`.
    func add(to router: Router<VisitorContext>) {
        router.only([.post], at: "/auth/:provider/notifications") { request, context in
            guard context.parameters.get("provider") == "apple" else { throw PublicError.notFound }
            return try await receive(request, context)
        }
    }

    private func receive(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let payload: String
        do { payload = try await Self.payload(of: request) } catch let error as AppleNotificationError {
            return error.response(to: context)
        }
        let audiences = Self.audiences(of: payload)
        let provider = providers.all.first { provider in
            provider.kind == .apple
                && [provider.clientID, provider.appleAppID].compactMap(\.self).contains { name in
                    audiences.contains { $0.utf8.elementsEqual(name.utf8) }
                }
        }
        guard let provider else {
            return AppleNotificationError(.badRequest, reason: "audience_unknown").response(to: context)
        }
        let notification: AppleNotification
        do throws(ProviderError) { notification = try await client.notification(provider, payload: payload) } catch {
            return AppleNotificationError(error).response(to: context)
        }
        let outcome = try await changes.apply(notification, provider)
        context.logger.notice(
            "apple_notification_received",
            metadata: [
                "provider": "\(provider.id)", "event": "\(notification.event.name)", "outcome": "\(outcome.name)",
                "account": "\(outcome.accountID ?? "-")",
            ])
        // Also for a subject that is not known: Apple would send it again.
        return Response(status: .ok, headers: [.cacheControl: "no-store"])
    }

    /// The JWS in the body `{"payload": "…"}`.
    private static func payload(of request: Request) async throws -> String {
        guard MediaRange.essence(of: request.headers[values: .contentType]) == "application/json" else {
            throw AppleNotificationError(.unsupportedMediaType, reason: "content_type")
        }
        let body: [UInt8]
        do { body = try await request.boundedBody(maximumBytes) } catch let error as PublicError
            where error.status == .contentTooLarge
        {
            throw AppleNotificationError(.contentTooLarge, reason: "body_size")
        }
        guard let text = (try? JSONReader.readStrictly(body))?["payload"]?.string else {
            throw AppleNotificationError(.badRequest, reason: "body")
        }
        return text
    }

    /// What the notification claims. It only chooses whose keys check it.
    private static func audiences(of payload: String) -> [String] {
        let parts = payload.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64URL.decode(String(parts[1])),
            let claims = try? JSONReader.readStrictly(bytes), let audience = claims["aud"]
        else { return [] }
        return audience.string.map { [$0] } ?? audience.array?.compactMap(\.string) ?? []
    }
}

/// Why a notification changes nothing.
struct AppleNotificationError: Error {
    let status: HTTPResponse.Status
    /// A stable word for the log.
    let reason: String
    var detail = ""

    init(_ status: HTTPResponse.Status, reason: String) {
        (self.status, self.reason) = (status, reason)
    }

    /// While Apple's keys cannot be fetched, a notification may be sent again. So may one with a key that is not known yet:
    /// notifications with made-up keys may have used up the early fetch, and Apple does not repeat what was refused.
    init(_ error: ProviderError) {
        let isTemporary = error.isUnavailable || error.reason == ProviderError.AnswerProblem.keyUnknown.rawValue
        (status, reason) = (isTemporary ? .serviceUnavailable : .badRequest, error.reason)
        detail = error.detail
    }

    /// Logs why.
    ///
    /// - Returns: the same answer for every wrong notification.
    func response(to context: VisitorContext) -> Response {
        context.logger.warning(
            "apple_notification_refused", metadata: ["reason": "\(reason)", "detail": "\(detail)"])
        let isUnavailable = status == .serviceUnavailable
        let body = JSONText.object([
            .init("error", isUnavailable ? "temporarily_unavailable" : "invalid_request"),
            .init(
                "error_description",
                isUnavailable
                    ? "Send the notification again in a moment."
                    : "Send application/json with a notification that Apple has signed for this service as payload."),
        ])
        var headers: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]
        if isUnavailable { headers[.retryAfter] = "60" }
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: body)))
    }
}
