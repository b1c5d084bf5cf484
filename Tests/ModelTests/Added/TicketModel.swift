import HTTPTypes
import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit

/// The model of ``TicketProtocol``: a ticket works for a minute, once, and any attempt ends it.
@Suite("The model of an added client protocol", .program)
struct TicketModel {
    private static let keys = ", protocols: [sso, ticket]"
    private static let added = AddedSteps(features: TicketProtocol.added, clientKeys: keys) { model, step in
        if step.name == "ask" { return model.authorize(step.browser, 0, .none) }
        guard let grant = model.grants.indices.last,
            model.consume(grant, 0, lifetime: Span.minute, isRightAddress: true, voidsAlways: true)
        else { return "404" }
        _ = model.note(grant, by: 0)
        return "200 \(model.grants[grant].account)"
    } world: { world, step in
        let request = [("app", Cast.clients[0]), ("back", World.callback(0))]
        guard step.name == "redeem" else {
            let target = TicketProtocol.askPath + "?" + PercentCoding.query(request)
            return try await world.land(step.browser, world.send(step.browser, .get, target))
        }
        let ticket = world.grants.last?.text ?? ""
        let reply = try await world.post(TicketProtocol.redeemPath, request + [("ticket", ticket)])
        return reply.status == 200 ? "200 0" : "\(reply.status)"
    }

    @Test("a ticket is good once, and for a minute")
    func history() async throws {
        let (ask, redeem) = (Operation.added(AddedStep(name: "ask")), Operation.added(AddedStep(name: "redeem")))
        let signIn: [Operation] = [.ask(browser: 0, address: 0), .type(browser: 0, code: .right, remember: false)]
        let late: [Operation] = [ask, .wait(seconds: 60), redeem, ask, .wait(seconds: 59), redeem]
        try await History.agree(
            [ask] + signIn + [redeem, redeem] + late, seed: 1, adding: Self.added)
    }
}
