import Foundation
import HTTPTypes
import Hummingbird
import IdPClients
import NIOCore
import SSOShared
import SSOWeb

/// `GET /auth/check`: tells `idp check --connect` how its request has arrived. For everybody else it is 404.
struct SelfCheckRoute: Sendable {
    let clock: ServiceClock
    let keys: DerivedKeys
    let proxies: ClientAddress

    func addRoutes(to router: inout FeatureRouter) {
        router.endpoint(
            [.get], at: SelfCheckProof.path, refusing: { throw PublicError.methodNotAllowed($0) }, use: answer)
    }

    @Sendable private func answer(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let sent = HTTPField.Name(SelfCheckProof.field).flatMap { request.headers[$0] } ?? ""
        let now = clock.now()
        guard sent.utf8.count <= 200, let question = SelfCheckProof(sent, keys, at: now) else {
            throw PublicError.notFound
        }
        func field(_ name: String) -> String? {
            HTTPField.Name(name).flatMap { request.headers[$0] }.map { String($0.prefix(200)) }
        }
        let answer = SelfCheckAnswer(
            proof: question.answer, time: now.seconds, host: request.head.authority,
            forwardedProto: field("X-Forwarded-Proto"), forwardedFor: field("X-Forwarded-For"),
            peer: ClientAddress(trusted: []).address(of: request, peer: context.peer)?.description,
            isProxy: proxies.isTrusted(peer: context.peer),
            client: proxies.address(of: request, peer: context.peer)?.description, version: ProductVersion.text)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: try encoder.encode(answer))))
    }
}
