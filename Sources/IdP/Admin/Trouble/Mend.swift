import IdPAccounts
import IdPClients
import IdPOperations
import SSOShared
import SSOWeb
import Storage

/// The change that mends what a row of the audit log is about. Its page says the effect, and asks.
enum Mend {
    /// - Returns: the words of the button and its address; nil where no change on these pages mends it.
    static func of(
        _ row: AuditEntry, _ desk: AdminDesk, _ connection: any SQLConnection
    ) throws -> (Text, String)? {
        switch (row.event, row.cause) {
        case ("authorize_refused", "redirect_uri_not_registered"), ("authorize_refused", "redirect_uri_wrong"):
            return try register(row, desk, connection)
        case ("verify_refused", "signature_wrong"), ("session_question_refused", "signature_wrong"),
            ("ping_refused", "signature_wrong"), ("token_request_refused", "client_secret_wrong"):
            return try secret(row, desk, connection)
        case ("authorize_refused", _), ("verify_refused", _), ("token_request_refused", _):
            return try enable(row, desk, connection)
        case ("access_refused", _):
            return try account(row, connection).map {
                (Text("admin.set-groups", ["address": $0.email]), "\(AdminPath.user($0))/groups")
            }
        case ("mail_not_sent", "account_disabled"):
            return try account(row, connection).map {
                (Text("admin.enable", ["address": $0.email]), "\(AdminPath.user($0))/enable")
            }
        case ("mail_not_sent", "account_ended"):
            return try account(row, connection).map {
                (Text("admin.set-end", ["address": $0.email]), "\(AdminPath.user($0))/end-date")
            }
        case ("mail_not_sent", "refused"), ("mail_not_sent", "expired"):
            return (TestMailAction.title, TestMailAction.path)
        case ("sign_out_failed", _), ("sign_out_given_up", _):
            return (Text("admin.open-sign-outs"), AdminPath.signOuts)
        default: return nil
        }
    }

    private static func account(_ row: AuditEntry, _ connection: any SQLConnection) throws -> Account? {
        try row.account.flatMap { try AdminView.account($0, connection) }
    }

    private static func view(
        _ row: AuditEntry, _ desk: AdminDesk, _ connection: any SQLConnection
    ) throws -> ClientView? {
        guard let id = row.client else { return nil }
        return try AdminView.clients(file: desk.file, connection).first { $0.client.id == id }
    }

    /// The address that was sent, if all of it is known, or the page of the service.
    private static func register(
        _ row: AuditEntry, _ desk: AdminDesk, _ connection: any SQLConnection
    ) throws -> (Text, String)? {
        guard let view = try view(row, desk, connection) else { return nil }
        let (name, home) = (view.client.name, AdminPath.service(view.client.id))
        let sent = try AdminView.refusedAddresses(of: view.client.id, connection)
            .first { $0.isWhole && !view.client.hasRedirectURI($0.address) }
        guard view.entry != nil, let sent else { return (Text("admin.open-service", ["name": name]), home) }
        return (
            Text("admin.register-this", ["address": AdminWriter.cut(sent.address)]),
            AdminPath.query("\(home)/register", [("address", sent.address)])
        )
    }

    private static func secret(
        _ row: AuditEntry, _ desk: AdminDesk, _ connection: any SQLConnection
    ) throws -> (Text, String)? {
        guard let view = try view(row, desk, connection) else { return nil }
        let (name, home) = (view.client.name, AdminPath.service(view.client.id))
        guard view.entry != nil, view.isEnabled, view.secrets.count == 1 else {
            return (Text("admin.open-service", ["name": name]), home)
        }
        return (Text("admin.service-rotate", ["name": name]), "\(home)/rotate")
    }

    /// A disabled service is answered like one that does not exist.
    private static func enable(
        _ row: AuditEntry, _ desk: AdminDesk, _ connection: any SQLConnection
    ) throws -> (Text, String)? {
        guard let view = try view(row, desk, connection), !view.isEnabled else { return nil }
        return (
            Text("admin.service-enable", ["name": view.client.name]), "\(AdminPath.service(view.client.id))/enable"
        )
    }
}
