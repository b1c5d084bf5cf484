import HTTPTypes
import SSOShared
import SSOWeb
import Testing

@testable import IdPGate
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit

extension Model {
    /// What a browser's session at the service behind the gate hangs on.
    struct GateSession: Sendable {
        let signIn, beginnings: Int
        var isLeft = false
    }

    struct AppKey: Sendable {
        let account, endsAt: Int
        var isEnded = false
    }

    /// docs/gate.md, "Keys for apps": a sign-out leaves them.
    mutating func endAppKeys(of account: Int, _ reason: String) {
        guard reason == "account_ended" else { return }
        appKeys.mark(\.isEnded) { $0.account == account }
    }
}

/// The model of the gate (docs/gate.md): what the proxy of a service is told of each browser and each key, at each moment.
@Suite("The model of sessions at a gate and of keys for apps", .program)
struct GateModel {
    private static let origin = "https://\(Cast.clients[0]).example"
    private static let added = AddedSteps(
        features: .init(), clientKeys: ", protocols: [sso, gate], gate_origin: \"\(origin)\", app_keys: true",
        settings: ["IDP_TRUSTED_PROXIES": "192.0.2.7"], model: model, world: world)
    private static let steps = ["begin", "return", "check", "check", "leave", "make", "use", "use", "end"]

    @Sendable private static func model(_ model: inout Model, _ step: AddedStep) -> String {
        // A proxy is told at its next check.
        model.clients[0].takesMessages = false
        let isKnown = model.isRegistered(0)
        if !isKnown { return dropped(&model, step) }
        switch step.name {
        case "begin": return model.authorize(step.browser, 0, .none)
        case "return": return comeBack(&model, step.browser)
        case "check":
            guard let user = session(&model, step, touches: true) else { return "302" }
            return "200 account \(user)"
        case "leave":
            if let last = model.gates[step.browser]?.indices.last { model.gates[step.browser]?[last].isLeft = true }
            return "left"
        case "make", "end": return change(&model, step.browser, ends: step.name == "end")
        default:
            guard let key = model.appKeys.dropLast(step.back).last else { return "nothing" }
            return !key.isEnded && key.endsAt > model.now && model.maySignIn(key.account)
                ? "200 account \(key.account)" : "401"
        }
    }

    /// A service that is not registered. What it had is over, also where it comes back.
    private static func dropped(_ model: inout Model, _ step: AddedStep) -> String {
        model.appKeys.mark(\.isEnded)
        switch step.name {
        case "begin": return model.authorize(step.browser, 0, .none)
        case "make", "end": return model.use(of: step.browser) == nil ? "signed out" : "nothing"
        case "use" where model.appKeys.dropLast(step.back).isEmpty: return "nothing"
        case "return": return model.grants.isEmpty ? "nothing" : "refused"
        default: return "403"
        }
    }

    /// The account of a browser's session at the service, or of an earlier one, whose cookie somebody has kept: it holds as long as
    /// the session that it hangs on, and until its user signs out of the service.
    private static func session(_ model: inout Model, _ step: AddedStep, touches: Bool = false) -> Int? {
        guard let gate = model.gates[step.browser]?.dropLast(step.back).last, !gate.isLeft else { return nil }
        let it = model.signIns[gate.signIn]
        guard !it.isDeleted, it.endedAt == nil, it.beginnings == gate.beginnings,
            let user = model.signIn(it.session), user.account == it.account
        else { return nil }
        if touches, model.now - model.sessions[it.session].seenAt >= Span.minute {
            model.sessions[it.session].seenAt = model.now
        }
        return user.account
    }

    /// A grant works once, for a minute. A browser that is signed in at the service stays so, whatever it brings.
    private static func comeBack(_ model: inout Model, _ browser: Int) -> String {
        guard let grant = model.grants.indices.last else { return "nothing" }
        guard model.consume(grant, 0, lifetime: Span.minute, isRightAddress: true) else {
            return session(&model, AddedStep(name: "return", browser: browser)) == nil ? "refused" : "in"
        }
        let signIn = model.note(grant, by: 0)
        model.gates[browser, default: []].append(
            Model.GateSession(signIn: signIn, beginnings: model.signIns[signIn].beginnings))
        return "in"
    }

    /// Makes a key, or ends the user's newest one: only after a sign-in of the last ten minutes.
    private static func change(_ model: inout Model, _ browser: Int, ends: Bool) -> String {
        guard let session = model.use(of: browser), let user = model.signIn(session) else { return "signed out" }
        let newest = model.appKeys.lastIndex { $0.account == user.account && !$0.isEnded && $0.endsAt > model.now }
        if ends, newest == nil { return "nothing" }
        // A change of the account counts as a use at once.
        model.sessions[session].seenAt = model.now
        guard model.now - user.at <= 10 * Span.minute else { return "asks again" }
        guard ends, let newest else {
            model.appKeys.append(Model.AppKey(account: user.account, endsAt: model.now + Span.day))
            return "made"
        }
        model.appKeys[newest].isEnded = true
        return "ended"
    }

    private static let cookie = "__Host-sso_gate"
    private static let verifier = Base64URL.encode([UInt8](repeating: 7, count: 32))
    private static let proxy = [
        ("X-Forwarded-Proto", "https"), ("X-Forwarded-Host", String(origin.dropFirst("https://".count))),
        ("X-Forwarded-Uri", "/"), ("Accept", "text/html"),
    ]

    @Sendable private static func world(_ world: World, _ step: AddedStep) async throws -> String {
        let path = "/gate/\(Cast.clients[0])"
        switch step.name {
        case "begin":
            world.states += 1
            let state = Base64URL.encode(Array(SHA256.hash(Array("\(world.states)".utf8)).prefix(16)))
            let challenge = CodeChallenge.s256(verifier)
            let query = "client_id=\(Cast.clients[0])&state=\(state)&challenge=\(challenge)&to=/"
            return try await world.land(step.browser, world.send(step.browser, .get, "\(GatePath.authorize)?\(query)"))
        case "return":
            guard let grant = world.grants.last?.text else { return "nothing" }
            world.browsers[step.browser].cookies["__Host-sso_gate_state"] = verifier
            let reply = try await world.send(
                step.browser, .get, "\(path)/callback?grant=\(grant)&to=/", headers: proxy)
            if let cookie = world.browsers[step.browser].cookies[cookie],
                world.gateCookies[step.browser]?.last != cookie
            {
                world.gateCookies[step.browser, default: []].append(cookie)
            }
            return reply.status == 303 ? "in" : "refused"
        case "check" where step.back > 0:
            let old = world.gateCookies[step.browser]?.dropLast(step.back).last
            let fields = proxy + (old.map { [("Cookie", "\(cookie)=\($0)")] } ?? [])
            return try await told(world, world.node.respond(.get, "\(path)/check", fields))
        case "check": return try await told(world, world.send(step.browser, .get, "\(path)/check", headers: proxy))
        case "leave":
            let fields = [("X-Forwarded-Proto", "https"), ("X-Forwarded-Host", proxy[1].1)]
            let reply = try await world.send(step.browser, .post, "\(path)/sign-out", headers: fields)
            return reply.status == 200 ? "left" : "\(reply.status)"
        case "make", "end": return try await change(world, step.browser, ends: step.name == "end")
        default:
            guard let key = world.appKeys.dropLast(step.back).last else { return "nothing" }
            let fields = proxy.dropLast() + [("Authorization", "Bearer \(key)")]
            return try await told(world, world.node.respond(.get, "\(path)/check", Array(fields)))
        }
    }

    private static func told(_ world: World, _ reply: ProbeReply) async throws -> String {
        guard reply.status == 200 else { return "\(reply.status)" }
        try await world.noteAccounts()
        return "200 account \(world.number(of: reply.header("remote-id") ?? ""))"
    }

    private static func change(_ world: World, _ browser: Int, ends: Bool) async throws -> String {
        let page = try await world.send(browser, .get, "/app-keys")
        guard page.status == 200 else { return "signed out" }
        guard let token = world.token(in: page) else { return "nothing" }
        var fields = [("form_token", token)]
        if ends {
            let names = page.text.matches(of: #/<bdi>(key \d+)<\/bdi>/#).map { String($0.1) }
            guard let name = names.max(by: { $0.count == $1.count ? $0 < $1 : $0.count < $1.count }),
                let id = World.between(
                    "name=\"key\" value=\"", "\"", in: String(page.text.split(separator: name)[1...].joined()))
            else { return "nothing" }
            fields.append(("key", id))
        } else {
            fields += [("client", Cast.clients[0]), ("name", "key \(world.appKeys.count)"), ("days", "1")]
        }
        let reply = try await world.send(browser, .post, ends ? "/app-keys/remove" : "/app-keys/add", fields)
        if reply.header("location")?.hasPrefix("/sign-in?flow=") == true { return "asks again" }
        if ends { return reply.header("location") == "/app-keys?removed" ? "ended" : "\(reply.status)" }
        guard let key = World.between("<code translate=\"no\">", "</code>", in: reply.text) else {
            return "\(reply.status)"
        }
        world.appKeys.append(key)
        return "made"
    }

    /// What can end a session or a key, and what leads to one.
    private static func history(_ seed: inout Seed) -> [Operation] {
        (0..<60).flatMap { _ -> [Operation] in
            let (browser, address) = (seed.below(2), seed.below(2))
            let back = seed.one(of: [0, 0, 1, 2])
            func step(_ name: String) -> Operation { .added(AddedStep(name: name, browser: browser, back: back)) }
            let ends: [Operation] = [
                .signOut(browser: browser), .endOthers(browser: browser),
                .endSession(browser: browser, of: 1 - browser), .jobs, .restart, .look(browser: browser),
                .disable(address: address), .enable(address: address), .erase(address: address, mode: .now),
                .end(address: address, days: 1), .end(address: address, days: 1), .end(address: address, days: nil),
            ]
            let drop: [Operation] = [
                .file(drops: true, isReloaded: true), step("check"), .file(drops: false, isReloaded: true),
            ]
            switch seed.below(14) {
            case 0, 1:
                let code = Operation.type(browser: browser, code: .right, remember: seed.once(in: 3))
                return [.wait(seconds: 61), .ask(browser: browser, address: address), code]
            case 2, 3: return [step("begin"), step("return")]
            case 4: return [.wait(seconds: seed.one(of: [1, 59, 60, 601, 7199, 7200, 43_200, 86_400]))]
            case 5: return seed.once(in: 8) ? drop : [seed.one(of: ends)]
            default: return [step(seed.one(of: steps))]
            }
        }
    }

    @Test("random histories of browsers, apps and operators agree")
    func histories() async throws {
        for number in 1...30 as ClosedRange<UInt64> {
            var seed = Seed(number)
            try await History.agree(Self.history(&seed), seed: number, adding: Self.added)
        }
    }
}
