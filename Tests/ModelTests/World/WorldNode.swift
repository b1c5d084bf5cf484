import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import SSOShared
import SSOWeb
import Storage
import Synchronization

@testable import Counterparts
@testable import IdPClients
@testable import IdPDevPages
@testable import IdPFlow
@testable import IdPMail
@testable import IdPOperations
@testable import IdPServer
@testable import IdPSignOut
@testable import IdPTestKit
@testable import TestKit

/// One process of the program: the router with every route, without sockets, and the jobs without timers. A history decides when
/// a job runs, so nothing depends on scheduling.
struct WorldNode: Sendable {
    let features: IdPFeatures
    let values: SettingValues
    let routes: [Route]
    private let responder: RouterResponder<VisitorContext>
    private let mail: MailQueueWorker
    private let sender: SignOutSender
    private let purges: [PurgeService.Purge]
    private let channel: NIOAsyncTestingChannel

    /// - Parameters:
    ///   - settings: read already.
    ///   - mailer, transport: what takes emails and sign-out messages.
    init(
        _ settings: SettingValues, _ added: AddedFeatures, _ database: any Database, _ clock: ServiceClock,
        _ randomness: any Randomness, mailer: any Mailer, transport: any SignOutTransport
    ) throws {
        let logger = Logger(label: "idp", factory: SwiftLogNoOpLogHandler.init)
        let services = IdPServices(
            ProgramServices(
                database: database, clock: clock, randomness: randomness, logger: logger,
                pages: added.files.isEmpty ? try BuiltInPages.idp(Brand(settings)) : nil),
            mailer: mailer, devPages: try DevPages(randomness: SystemRandomness()), clientRenewalInterval: .zero,
            newKey: KeyLeases().new)
        values = settings
        features = try IdPFeatures(settings, services, adding: added)
        let web = try features.webRouter(settings, services)
        (routes, responder) = (web.routes, web.router.buildResponder())
        mail = features.mailWorker(mailer, from: try MailFrom("Main App <sign-in@main.example>"), MailRounds())
        purges = try features.purges(settings)
        let parts = features.parts
        sender = SignOutSender(
            parts.signOuts.queue, parts.audit.store, protocols: features.all.flatMap(\.signOuts),
            clients: parts.clients, transport: transport, logger: logger)
        channel = NIOAsyncTestingChannel()
        channel.remoteAddress = try SocketAddress(ipAddress: "192.0.2.7", port: 4711)
    }

    /// Answers one request.
    func respond(
        _ method: HTTPRequest.Method, _ target: String, _ headers: [(String, String)] = [], body: [UInt8] = []
    ) async throws -> ProbeReply {
        var fields = HTTPFields()
        for (name, value) in headers {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        if method == .post { fields[.contentLength] = "\(body.count)" }
        let request = Request(
            head: HTTPRequest(
                method: method, scheme: "http", authority: "localhost:4000", path: target, headerFields: fields),
            body: RequestBody(buffer: ByteBuffer(bytes: body)))
        let logger = features.parts.logger
        let context = VisitorContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
        let response = try await responder.respond(to: request, context: context)
        await features.parts.clients.uses.finish()
        let collected = CollectedBody()
        try await response.body.write(CollectingWriter(body: collected))
        return ProbeReply(
            status: response.status.code, headers: response.headers.map { ($0.name.rawName, $0.value) },
            body: collected.bytes.withLock { $0 })
    }

    /// Sends emails and sign-out messages that are due.
    func send() async {
        await mail.round()
        while await sender.round() > 0 {}
        await features.parts.audit.writeWaiting()
    }

    /// Carries out what is due, and deletes what has ended.
    func purge() async throws {
        for purge in purges { while try await purge(500) >= 500 {} }
    }
}

private final class CollectedBody: Sendable {
    let bytes = Mutex<[UInt8]>([])
}

private struct CollectingWriter: ResponseBodyWriter {
    let body: CollectedBody

    func write(_ buffer: ByteBuffer) async throws { body.bytes.withLock { $0 += buffer.readableBytesView } }
    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

/// Takes every email.
final class WorldMailer: Mailer {
    private let taken = Mutex<[(to: String, subject: String, text: String)]>([])

    func send(_ email: EmailMessage) async throws(MailError) {
        taken.withLock { $0.append((email.to.text, email.subject, email.text)) }
    }

    /// What has come since the last call.
    func take() -> [(to: String, subject: String, text: String)] {
        taken.withLock { taken in
            defer { taken = [] }
            return taken
        }
    }
}

/// The servers of all clients: what they take, unless they are down.
final class WorldTransport: SignOutTransport {
    private let received = Mutex<[(url: String, body: [UInt8])]>([])
    private let down = Mutex<Set<String>>([])

    func set(_ host: String, isDown: Bool) {
        down.withLock { down in
            if isDown { down.insert(host) } else { down.remove(host) }
        }
    }

    func send(_ request: HTTPClient.Request) async throws(ConnectionError) -> HTTPClient.Response {
        if down.withLock({ $0.contains { request.url.contains("//\($0)/") } }) {
            return HTTPClient.Response(status: 503)
        }
        if case .post(let body) = request.method { received.withLock { $0.append((request.url, body)) } }
        return HTTPClient.Response(status: 200)
    }

    func take() -> [(url: String, body: [UInt8])] {
        received.withLock { received in
            defer { received = [] }
            return received
        }
    }
}
