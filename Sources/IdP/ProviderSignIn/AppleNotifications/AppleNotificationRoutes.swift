import HTTPTypes
import Hummingbird
import IdPClients
import IdPFlow
import IdPProviders
import Logging
import NIOCore
import SSOShared
import SSOWeb

/// `POST /auth/apple/notifications`: Apple's servers report what users have done there ("Processing changes for Sign in with
/// Apple accounts").
///
/// `apple` stands for every provider of that kind. The audience of the notification says which one it is for. Nothing is read
/// from the database before its signature has been checked. Refused notifications are counted by network, as wrong
/// signatures at verify are.
struct AppleNotificationRoutes: Sendable {
    /// Several times what Apple sends.
    static let maximumBytes = 8 << 10

    let providers: ProviderRegistry
    let client: ProviderClient
    let changes: AppleChanges
    /// Counts refused notifications.
    let networks: SignerNetworks

    /// A route with the same parameter as the callback: beside a fixed `apple` the router would not find `/auth/:provider`.
    func addRoutes(to router: inout FeatureRouter) {
        router.signedPost(at: "/auth/:provider/notifications") { request, context in
            guard context.parameters.get("provider") == "apple" else { throw PublicError.notFound }
            return try await receive(request, context)
        }
    }

    private func receive(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let (provider, notification): (Provider, AppleNotification)
        do {
            try Self.checkHead(of: request)
            // Counted before the body is read, so that a flood stays cheap.
            (provider, notification) = try await networks.counting(
                request, context, countingIf: { ($0 as? AppleNotificationError)?.isCounted ?? false }
            ) { try await read(request) }
        } catch let error as TooManyBadSignatures {
            return AppleNotificationError(retryAfter: error.wait).response(to: context)
        } catch let error as AppleNotificationError {
            return error.response(to: context)
        }
        let outcome = try await changes.apply(notification, provider, context.audit)
        context.record(
            Event(
                .appleNotificationReceived, account: outcome.accountID, detail: provider.id,
                ["event": "\(notification.event.name)", "outcome": "\(outcome.name)"]))
        // Also for a subject that is not known: Apple would send it again.
        return Response(status: .ok, headers: [.cacheControl: "no-store"])
    }

    private static func checkHead(of request: Request) throws(AppleNotificationError) {
        guard MediaRange.essence(of: request.headers[values: .contentType]) == "application/json" else {
            throw AppleNotificationError(.unsupportedMediaType, reason: "content_type")
        }
        do { try request.checkAnnouncedLength(maximumBytes) } catch {
            throw AppleNotificationError(.contentTooLarge, reason: "body_size")
        }
    }

    /// The notification, once its signature is right, and the provider that it is for.
    private func read(_ request: Request) async throws -> (Provider, AppleNotification) {
        let payload = try await Self.payload(of: request)
        let audiences = Self.audiences(of: payload)
        let provider = providers.all.first { provider in
            provider.kind == .apple
                && [provider.clientID, provider.appleAppID].compactMap(\.self).contains { name in
                    audiences.contains { $0.utf8.elementsEqual(name.utf8) }
                }
        }
        guard let provider else { throw AppleNotificationError(.badRequest, reason: "audience_unknown") }
        do throws(ProviderError) { return (provider, try await client.notification(provider, payload: payload)) } catch
        {
            throw AppleNotificationError(error)
        }
    }

    /// The JWS in the body `{"payload": "…"}`.
    private static func payload(of request: Request) async throws -> String {
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
        let parts = Array(payload.utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64URL.decode(Array(parts[1])),
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
    private(set) var retryAfter: Duration?
    /// Whether the sender may have made it up. What is refused for its head costs little, and nobody can do anything
    /// about keys that cannot be fetched.
    private(set) var isCounted = false

    init(_ status: HTTPResponse.Status, reason: String) {
        (self.status, self.reason) = (status, reason)
        isCounted = status == .badRequest
    }

    /// Too many of this network were refused.
    init(retryAfter: Duration) {
        (status, reason, self.retryAfter) = (.tooManyRequests, "too_many_refused", retryAfter)
    }

    /// While Apple's keys cannot be fetched, a notification may be sent again. So may one with a key that is not known yet:
    /// notifications with made-up keys may have used up the early fetch, and Apple does not repeat what was refused.
    init(_ error: ProviderError) {
        let isTemporary = error.isUnavailable || error.reason == ProviderError.AnswerError.keyUnknown.rawValue
        (status, reason) = (isTemporary ? .serviceUnavailable : .badRequest, error.reason)
        detail = error.detail
        isCounted = !error.isUnavailable
    }

    /// Says why. It is no alarm: anybody can send one.
    ///
    /// - Returns: the same answer for every wrong notification.
    func response(to context: VisitorContext) -> Response {
        context.record(Event(.appleNotificationRefused, cause: reason, detail: detail))
        let (code, words) =
            switch status {
            case .serviceUnavailable: ("temporarily_unavailable", "Send the notification again in a moment.")
            case .tooManyRequests: ("rate_limited", "Too many notifications of this network were refused.")
            default:
                (
                    "invalid_request",
                    "Send application/json with a notification that Apple has signed for this service as payload."
                )
            }
        let body = JSONText.object([.init("error", code), .init("error_description", words)])
        var headers: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]
        let wait = retryAfter ?? (status == .serviceUnavailable ? .seconds(60) : nil)
        headers[.retryAfter] = wait.map { String(max(1, $0.secondsRoundedUp)) }
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: body)))
    }
}
