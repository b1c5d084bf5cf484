import ProbeKit
import SSOShared
import SSOWeb
import Storage

@testable import IdP
@testable import IdPAccounts
@testable import IdPClients
@testable import IdPFlow
@testable import IdPOperations
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// What operators do, as commands beside the running program make it.
extension World {
    private var keys: DerivedKeys { get throws { try node.values[FlowSettings.secretKey] } }
    private var file: ClientRegistry { get throws { try node.values[IdPSettings.clients].clients } }
    private var registrar: ClientRegistrar { get throws { ClientRegistrar(file: try file) } }
    private var box: ClientSecretBox { get throws { ClientSecretBox(keys: try keys, randomness: randomness) } }

    private var changes: OperatorChanges {
        get throws {
            OperatorChanges(
                database, of: try node.features.parts.clients.registry.protocols,
                by: .command(user: "root", sudo: nil), clock: clock.clock, randomness: randomness)
        }
    }

    func make<Change: OperatorChange>(_ change: Change) async throws -> String {
        do { return try await changes.make(change).isChanged ? "changed" : "unchanged" } catch is IdPClients.ChangeError
        {
            return "refused"
        }
    }

    func answerOperator(_ operation: Operation) async throws -> String {
        switch operation {
        case .disable(let address): try await make(DisableUser(Cast.addresses[address]))
        case .enable(let address): try await make(EnableUser(Cast.addresses[address]))
        case .signOutUser(let address): try await signOutUser(address)
        case .signOutEveryone: try await signOutEveryone()
        case .erase(let address, let mode): try await erase(address, mode)
        case .end(let address, let days):
            try await make(SetEndDate(Cast.addresses[address], to: days.map { clock.now + .days($0) }))
        case .move(let address, let new):
            try await make(
                SetAddress(
                    Cast.addresses[address], to: EmailAddress(Cast.addresses[new]),
                    reporting: node.features.completion.changes))
        case .invite(let address):
            try await make(
                InviteUser(EmailAddress(Cast.addresses[address]), mail: InvitationMail(try keys, on: database)))
        case .withdraw(let address): try await make(WithdrawInvitation(Cast.addresses[address]))
        default: try await answerRegistrar(operation)
        }
    }

    /// A row of a session that has ended by time does not count: whether it was deleted by then, the model does not know.
    private func signOutUser(_ address: Int) async throws -> String {
        try await purgeSessions()
        return try await make(SignOutUser(Cast.addresses[address]))
    }

    func purgeSessions() async throws { _ = try await node.features.parts.sessions.store.purge(limit: 500) }

    private func signOutEveryone() async throws -> String {
        try await purgeSessions()
        _ = try await SignOutEveryone(changes).make()
        return "changed"
    }

    private func erase(_ address: Int, _ mode: Operation.Erasing) async throws -> String {
        let mode: EraseUser.Mode =
            switch mode {
            case .now: .now
            case .later: .afterSevenDays
            case .cancel: .cancel
            }
        return try await make(EraseUser(Cast.addresses[address], mode))
    }

    private func answerRegistrar(_ operation: Operation) async throws -> String {
        switch operation {
        case .join(let address, let group):
            return try await make(JoinGroup(Cast.groups[group], [Cast.addresses[address]]))
        case .leave(let address, let group):
            return try await make(LeaveGroup(Cast.groups[group], [Cast.addresses[address]], file: file))
        case .access(let client, let groups):
            let values: [String: ClientEntry.Value?] =
                groups
                ? ["access": nil, "groups": .list([Cast.groups[0]])] : ["access": .text("everyone"), "groups": nil]
            return try await make(SetClient(Cast.clients[client], values, logo: nil, registrar))
        case .require(let client, let isStrict):
            let values: [String: ClientEntry.Value?] = ["require": isStrict ? .text("phr") : nil]
            return try await make(SetClient(Cast.clients[client], values, logo: nil, registrar))
        case .enableClient(let client, let isEnabled):
            return try await make(EnableClient(Cast.clients[client], isEnabled, registrar))
        case .replaceClient(let client): return try await replaceClient(client)
        case .rotate(let client): return try await rotate(client)
        case .retire(let client):
            return try await make(RetireSecret(Cast.clients[client], isForced: true, registrar))
        case .retryMessages: return try await make(RetrySignOuts(.all(client: nil)))
        case .endByOperator(let address, let browser):
            guard let handle = browsers[browser].handle else { return "refused" }
            let parts = try node.features.parts
            let devices = AppDevices(
                tokens: parts.accessTokens, sessions: parts.sessions.store, signOuts: parts.signOuts)
            return try await make(EndSession(of: Cast.addresses[address], id: handle, devices: devices))
        default: return "no such step"
        }
    }

    private func newSecret(_ client: Int) throws -> SharedSecret {
        let number = (secrets[client].last?.split(separator: "-").compactMap { Int($0) }.first ?? 0) + 1
        let text = "secret-of-\(Cast.clients[client])-\(number)-0123456789abcdefghijklmnop"
        return try SharedSecret.parse(text, setting: "secret")
    }

    private func text(_ client: Int) -> String {
        let number = (secrets[client].last?.split(separator: "-").compactMap { Int($0) }.first ?? 0) + 1
        return "secret-of-\(Cast.clients[client])-\(number)-0123456789abcdefghijklmnop"
    }

    private func replaceClient(_ client: Int) async throws -> String {
        guard Cast.stored.contains(client) else {
            return try await make(EnableClient(Cast.clients[client], false, registrar))
        }
        _ = try await make(EnableClient(Cast.clients[client], false, registrar))
        _ = try await make(RemoveClient(Cast.clients[client], registrar))
        secrets[client].append(text(client))
        return try await add(client)
    }

    private func rotate(_ client: Int) async throws -> String {
        let (new, text) = (try newSecret(client), text(client))
        let answer = try await make(
            RotateSecret(Cast.clients[client], to: new, endingAfter: .days(7), box, registrar))
        if answer == "changed" { secrets[client].append(text) }
        return answer
    }

    func addStored() async throws {
        for group in Cast.groups { _ = try await make(MakeGroup(group)) }
        for client in Cast.stored { _ = try await add(client) }
    }

    private func add(_ client: Int) async throws -> String {
        let id = Cast.clients[client]
        var entry = ClientEntry(id: id)
        entry["name"] = .text("Client \(id)")
        entry["redirect_uris"] = .list([World.callback(client)])
        entry["access"] = .text("everyone")
        if client == Cast.openID {
            entry["protocols"] = .list(["oidc"])
            entry["scopes"] = .list(["openid", "email", "offline_access"])
            entry["introspect"] = .text("true")
            // A key of it is made in no time.
            entry["id_token_alg"] = .text("ES256")
            entry["backchannel_logout_uri"] = .text("https://\(id).example/out")
        } else {
            entry["logout_uri"] = .text("https://\(id).example/out")
        }
        let secret = try SharedSecret.parse(secrets[client].last ?? "", setting: "secret")
        return try await make(AddClient(id, entry, logo: nil, secret: secret, box, registrar))
    }
}
