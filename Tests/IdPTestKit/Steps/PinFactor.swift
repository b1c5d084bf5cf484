import HTTPTypes
import Hummingbird
import SSOShared
import SSOWeb
import Storage

@testable import Counterparts
@testable import IdPAccounts
@testable import IdPClients
@testable import IdPFlow
@testable import IdPServer
@testable import TestKit
@testable import WebTestKit

/// A second factor of the tests, added as any is: every account asks for the same four digits.
struct PinFactor: SecondFactor {
    static let added = adding([PinFactor()])

    /// Every sign-in method and client protocol of the tests, with these factors.
    static func adding(_ factors: [PinFactor]) -> AddedFeatures {
        AddedFeatures(protocols: TicketProtocol.added.protocols) {
            [PinFeature(pins: factors)] + (try TicketProtocol.added.features($0, $1))
        }
    }

    static let pagePath = "/sign-in/pin"
    static let pin = "2468"
    /// Another factor, for accounts with two.
    static let other = PinFactor(id: "test_other", path: "/sign-in/other-pin", pin: "1357")

    var id = "test_pin"
    var path: String = PinFactor.pagePath
    var pin: String = PinFactor.pin

    /// What the name of an account has that has set the factor up; empty where every account has.
    var mark = ""

    /// What is added to the name of an account that does not have the factor any more.
    var endedMark: String { " without \(id)" }

    func isSetUp(for account: Account, _ connection: any SQLConnection) throws -> Bool {
        try !connection.query(
            "SELECT id FROM account WHERE id = :id AND instr(name, :ended) = 0 AND instr(name, :mark) > 0",
            ["id": .text(account.id), "ended": .text(endedMark), "mark": .text(mark)]
        ).isEmpty
    }

    func end(for account: Account, _ connection: any SQLConnection) throws {
        try connection.execute(
            "UPDATE account SET name = name || :ended WHERE id = :id",
            ["ended": .text(endedMark), "id": .text(account.id)])
    }

    func addRoutes(to router: inout FeatureRouter, _ completion: SignInCompletion) {
        let form = Form(
            about: { _ in .open(()) }, orElse: { _ in .home },
            submit: { form, _ in
                let typed = try form.fields.text("pin")
                let done = try await completion.finish(second: self, form.session, form.request, form.context) { _, _ in
                    typed == pin
                }
                return done ?? .redirect(to: FlowID.path(path, form.flow))
            })
        router.form(at: path, show: { try await show($0, $1, completion) }, form)
    }

    private func show(
        _ request: Request, _ context: VisitorContext, _ completion: SignInCompletion
    ) async throws -> Response {
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
    }
}

private struct PinFeature: Feature {
    let pins: [PinFactor]

    var factors: [any SecondFactor] { pins }
}

extension Browser {
    /// Types the second proof into its page. Redirects are not followed.
    func typePin(_ pin: String = PinFactor.pin, on page: Visit) async throws -> Visit {
        try await submit(page.page().form(with: "pin"), on: page, ["pin": pin])
    }
}
