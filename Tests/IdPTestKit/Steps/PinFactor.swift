import HTTPTypes
import Hummingbird
import SSOShared
import SSOWeb

@testable import Counterparts
@testable import IdPDirectory
@testable import IdPFlow
@testable import TestKit
@testable import WebTestKit

/// A second factor of the tests, added as any is: every account asks for the same four digits.
struct PinFactor: SecondFactor {
    static let additions = SignInAdditions(
        slots: TicketProtocol.additions.slots, protocols: TicketProtocol.additions.protocols, factors: [PinFactor()],
        methods: TicketProtocol.additions.methods)

    static let pagePath = "/sign-in/pin"
    static let pin = "2468"

    let id = "test_pin"
    let path: String = PinFactor.pagePath

    /// The name of an account that has no factor any more.
    static let endedName = "Without a PIN"

    func isSetUp(for account: Account, _ connection: any SQLConnection) throws -> Bool {
        try !connection.query(
            "SELECT id FROM account WHERE id = :id AND name <> :ended",
            ["id": .text(account.id), "ended": .text(Self.endedName)]
        ).isEmpty
    }

    func end(for account: Account, _ connection: any SQLConnection) throws {
        try connection.execute(
            "UPDATE account SET name = :name WHERE id = :id",
            ["name": .text(Self.endedName), "id": .text(account.id)])
    }

    func addRoutes(to router: Router<VisitorContext>, _ completion: SignInCompletion) {
        router.form(at: RouterPath(path)) { request, context in
            let flow = FlowID.read(request.queryFields)
            guard let session = context.session, completion.waitsForSecondProof(session) else {
                return .redirect(to: SignInPath.signIn(flow))
            }
            let token = completion.sessions.formToken(for: session)
            return Response(
                status: .ok, headers: [.contentType: "text/html; charset=utf-8"],
                body: .init(
                    byteBuffer: .init(
                        string: """
                            <form method="post" action="\(path)"><input type="hidden" name="form_token" value="\(token)">
                            <input type="hidden" name="flow" value="\(flow?.text ?? "")">
                            <input name="pin" value=""><button type="submit">Go on</button></form>
                            """)))
        } submit: { request, context in
            let fields = try await completion.sessions.formFields(of: request, context)
            guard let session = context.session,
                completion.sessions.forms.accepts(request, fields: fields, seed: session.formSeed)
            else { throw PublicError.staleForm(request, .home) }
            let typed = try fields.text("pin")
            let flow = FlowID.read(fields)
            return try await completion.finish(second: self, session, request, context) { _, _ in typed == Self.pin }
                ?? .redirect(to: FlowID.path(path, flow))
        }
    }
}

extension Browser {
    /// Types the second proof into its page. Redirects are not followed.
    func typePin(_ pin: String = PinFactor.pin, on page: Visit) async throws -> Visit {
        try await submit(page.page().form(with: "pin"), on: page, ["pin": pin])
    }
}
