import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import SSOShared
import SSOWeb
import Storage

/// `POST /data`: a file with all that is stored of the user, the same as an operator's export.
struct OwnData: WaitingChange {
    struct Asked: Codable, Sendable {}

    static let id = "data_export"
    static let path = "/data"
    static let needs = Proof.Need.recent

    /// The file about the account of an id, as text.
    let export: @Sendable (_ accountID: String) async throws -> String
    let database: any Database
    let flowLimit: FlowLimit

    func asked(in fields: URLEncodedFields) -> Asked { Asked() }

    func signInAgain(as email: String) -> Text? { Text("data.sign-in-again", ["email": email]) }

    func page(of asked: Asked, for user: SignedInUser, _ connection: any SQLConnection) -> ChangePage? {
        ChangePage(
            title: Text("data.download"), explanation: Text("data.confirm", ["email": user.account.email]))
    }

    func carryOut(_ asked: Asked, for user: SignedInUser, _ context: VisitorContext) -> ChangeStep {
        .elsewhere { _ in
            // It reads every row of the user.
            try flowLimit.count(user.session)
            let text = try await export(user.account.id)
            let event = Event(
                .dataDownloaded, by: .user(user.account.id), account: user.account.id, session: user.session.handle)
            // No file without its row.
            try await database.write { try context.record(event, $0) }
            return Response(
                status: .ok,
                headers: [
                    .contentType: "application/json; charset=utf-8", .cacheControl: "no-store",
                    .contentDisposition: "attachment; filename=\"account.json\"",
                ], body: .init(byteBuffer: .init(string: text)))
        }
    }
}
