import HTTPTypes
import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdPAccountPages
@testable import IdPFlow
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit

extension Model {
    /// What a user has asked for to change the own address.
    struct AddressChange: Sendable {
        var account, session, old, new: Int
        /// Whether its account may have the new address.
        var isFree: Bool
        var at: Int
        var tries = 0, changedAt: Int?
        var isStopped = false, isDeleted = false

        func isStoppable(at now: Int) -> Bool {
            !isStopped && !isDeleted && changedAt.map { now < $0 + Span.day } ?? false
        }
    }

    /// docs/decisions/0128: nobody else gets the address that an account had, while its owner can stop the change.
    ///
    /// - Parameter owner: whom it is kept for, and who may have it back.
    func isKept(_ address: Int, besides owner: Int? = nil) -> Bool {
        addressChanges.contains { $0.old == address && $0.account != owner && $0.isStoppable(at: now) }
    }
}

/// The model of users who change the own address, and of owners of the old one who stop that (docs/decisions/0128).
@Suite("The model of changes of the own address", .program)
struct AddressModel {
    private static let added = AddedSteps(features: .init(), model: model, world: world)

    // MARK: What is right

    @Sendable private static func model(_ model: inout Model, _ step: AddedStep) -> String {
        switch step.name {
        case "ask": ask(&model, step.browser, step.back)
        case "right", "wrong": type(&model, step.browser, isRight: step.name == "right")
        default: stop(&model, step.browser, step.back)
        }
    }

    /// After a change the address stays for the 24 hours in which it can be stopped, and five can be asked for in a day.
    private static func isFixed(_ model: Model, _ account: Int) -> Bool {
        let own = model.addressChanges.filter { $0.account == account && !$0.isDeleted }
        return own.contains { $0.isStoppable(at: model.now) }
            || own.count { $0.at > model.now - Span.day } >= 5
    }

    /// A sign-in of the last ten minutes of the account's own strength. Four codes a day for one address, from all accounts. The answer is
    /// the same for each address.
    private static func ask(_ model: inout Model, _ browser: Int, _ new: Int) -> String {
        guard let session = model.use(of: browser), let user = model.signIn(session) else { return "signed out" }
        guard !isFixed(model, user.account) else { return "fixed" }
        model.sessions[session].seenAt = model.now
        let (now, old) = (model.now, model.accounts[user.account].address)
        guard new != old else { return "422" }
        guard model.mayChangeWays(user) else { return "asks again" }
        let ofDay = model.addressChanges.count { $0.new == new && !$0.isDeleted && $0.at > now - Span.day }
        guard ofDay < 4, model.nextEmail(new, nil, isReturning: false) == nil else { return "429" }
        for index in model.addressChanges.indices
        where model.addressChanges[index].account == user.account && model.addressChanges[index].changedAt == nil {
            model.addressChanges[index].tries = 5
        }
        let isTaken = model.account(of: new) != nil
        let isFree = !isTaken && !model.isKept(new) && mayHave(model, new, user.account)
        model.addressChanges.append(
            Model.AddressChange(
                account: user.account, session: session, old: old, new: new, isFree: isFree, at: now))
        model.emails.append(
            Model.Email(
                address: new, kind: "code", at: now, expiresAt: now + Span.code, isDecoy: !isFree, isOfNetwork: false,
                isTaken: true))
        if isFree { model.sent.append("\(new): code") }
        if isTaken { model.sent.append("\(new): notice") }
        model.record("address_change_asked", account: user.account)
        return "asked"
    }

    /// One that `IDP_ALLOWED_EMAILS` names; or for an account that an operator added, one of its own domain.
    private static func mayHave(_ model: Model, _ new: Int, _ account: Int) -> Bool {
        func domain(_ address: Int) -> Substring? { Cast.addresses[address].split(separator: "@").last }
        let it = model.accounts[account]
        return model.isNamed(new) || it.isAdded && domain(new) == domain(it.address)
    }

    /// The code is typed in the session that asked, within ten minutes, and within twenty of the sign-in. Five tries.
    private static func type(_ model: inout Model, _ browser: Int, isRight: Bool) -> String {
        guard let session = model.use(of: browser), let user = model.signIn(session) else { return "signed out" }
        let waiting = model.addressChanges.lastIndex {
            $0.account == user.account && $0.session == session && $0.tries < 5 && $0.changedAt == nil && !$0.isDeleted
                && $0.at > model.now - Span.code
        }
        guard let waiting else { return "nothing" }
        model.addressChanges[waiting].tries += 1
        let it = model.addressChanges[waiting]
        guard isRight, it.isFree else { return it.tries < 5 ? "wrong" : "ended" }
        guard model.mayChangeWays(user, age: 20 * Span.minute) else { return "over" }
        guard model.account(of: it.new) == nil, !model.isKept(it.new) else { return "taken" }
        model.addressChanges[waiting].changedAt = model.now
        model.browsers[browser].session = nil
        move(&model, user.account, to: it.new)
        model.record("user_changed", account: user.account, "address")
        model.sent += ["\(it.old): notice", "\(it.new): notice"]
        return "changed"
    }

    private static func move(_ model: inout Model, _ account: Int, to new: Int) {
        model.endAll(of: account, "signed_out")
        model.forgetBrowsers(new)
        (model.accounts[account].address, model.accounts[account].invitedUntil) = (new, nil)
        model.accounts[account].hasMailbox = true
    }

    /// The link in the email to the old address, in any browser: once, within 24 hours. What was added since is removed.
    private static func stop(_ model: inout Model, _ browser: Int, _ back: Int) -> String {
        guard let index = Model.newest(back, of: model.addressChanges.count) else { return "nothing" }
        let it = model.addressChanges[index]
        guard it.isStoppable(at: model.now), let since = it.changedAt else { return "over" }
        _ = model.session(of: browser)
        model.addressChanges[index].isStopped = true
        move(&model, it.account, to: it.old)
        model.endPasskeys(of: it.account, "address_change_stopped", since: since)
        model.record("address_change_stopped", account: it.account)
        model.sent += ["\(it.old): notice", "\(it.new): notice"]
        return "stopped"
    }

    // MARK: How it is carried out

    @Sendable private static func world(_ world: World, _ step: AddedStep) async throws -> String {
        switch step.name {
        case "ask": try await ask(world, step.browser, Cast.addresses[step.back])
        case "right", "wrong": try await type(world, step.browser, isRight: step.name == "right")
        default: try await stop(world, step.browser, step.back)
        }
    }

    private static func ask(_ world: World, _ browser: Int, _ new: String) async throws -> String {
        let page = try await world.send(browser, .get, AddressPath.page)
        guard page.status == 200 else { return "signed out" }
        guard page.text.contains("action=\"\(AddressPath.ask)\""), let token = world.token(in: page) else {
            return "fixed"
        }
        let reply = try await world.send(
            browser, .post, AddressPath.ask, [("form_token", token), ("email", new)])
        guard reply.status == 303, let target = reply.header("location") else { return "\(reply.status)" }
        if target.hasPrefix("/sign-in?flow=") { return "asks again" }
        guard target == AddressPath.code else { return target }
        try await noteNew(world, browser)
        return "asked"
    }

    /// The change that was made last.
    private static func noteNew(_ world: World, _ browser: Int) async throws {
        let known = Set(world.addressChanges.map(\.id))
        let ids = try await world.database.stored.addressChanges.ids()
        world.addressChanges += ids.filter { !known.contains($0) }.map { ($0, browser) }
    }

    private static func type(_ world: World, _ browser: Int, isRight: Bool) async throws -> String {
        let page = try await world.send(browser, .get, AddressPath.code)
        guard page.status == 200, let token = world.token(in: page) else {
            return page.header("location") == AddressPath.page ? "nothing" : "signed out"
        }
        let asked = world.addressChanges.last { $0.browser == browser }
        let code = try keys(of: world).code(of: asked?.id ?? "")
        let typed = isRight ? code : String(code.reversed()) == code ? "123456" : String(code.reversed())
        let reply = try await world.send(
            browser, .post, AddressPath.code, [("form_token", token), ("code", typed)])
        switch (reply.status, reply.header("location")) {
        case (422, _): return "wrong"
        case (410, _): return "ended"
        case (409, _): return "taken"
        case (303, AddressPath.changed): return "changed"
        case (303, AddressPath.page): return "over"
        default: return "\(reply.status)"
        }
    }

    private static func keys(of world: World) throws -> AddressKeys {
        AddressKeys(try world.node.values[FlowSettings.secretKey])
    }

    private static func stop(_ world: World, _ browser: Int, _ back: Int) async throws -> String {
        guard let index = Model.newest(back, of: world.addressChanges.count) else { return "nothing" }
        let key = try keys(of: world).stopKey(of: world.addressChanges[index].id)
        _ = try await world.send(browser, .get, "\(AddressPath.stop)/\(key)")
        let page = try await world.send(browser, .get, AddressPath.stop)
        guard page.status == 200, let token = world.token(in: page) else {
            return page.status == 410 ? "over" : "\(page.status)"
        }
        let reply = try await world.send(browser, .post, AddressPath.stop, [("form_token", token)])
        return reply.header("location") == AddressPath.stopped ? "stopped" : "\(reply.status)"
    }

    // MARK: The histories

    private static func step(_ name: String, _ browser: Int, _ back: Int = 0) -> Operation {
        .added(AddedStep(name: name, browser: browser, back: back))
    }

    private static func signIn(_ browser: Int, _ address: Int) -> [Operation] {
        [
            .wait(seconds: 61), .signOut(browser: browser), .ask(browser: browser, address: address),
            .type(browser: browser, code: .right, remember: false),
        ]
    }

    /// What leads to a change, and what a thief or a stranger would try with it.
    private static func story(_ seed: inout Seed) -> [Operation] {
        let (browser, other) = (seed.below(2), 2)
        let (address, new) = (seed.below(3), seed.one(of: [0, 1, 2, 3, 4, 4]))
        let ask = signIn(browser, address) + [step("ask", browser, new)]
        let change = ask + [step("right", browser)]
        switch seed.below(10) {
        case 0: return change + [step("stop", other), step("stop", other)]
        case 1:
            return change + signIn(browser, new) + [
                .addPasskey(browser: browser, isHardware: false), step("stop", other),
            ]
        case 2:
            let stranger: [[Operation]] = [
                signIn(other, address), [.invite(address: address)], [.printLink(address: address)],
                [.move(address: seed.below(3), to: address)],
                signIn(other, seed.below(3)) + [step("ask", other, address), step("right", other)],
            ]
            return change + seed.one(of: stranger) + [step("stop", other)]
        case 3: return ask + signIn(other, address) + [step("right", other), step("right", browser)]
        case 4: return ask + [.wait(seconds: seed.one(of: [599, 600, 601, 659])), step("right", browser)]
        case 5: return ask + [.addPasskey(browser: browser, isHardware: false), step("right", browser)]
        case 6:
            let askers = (0..<seed.one(of: [3, 5, 6])).flatMap { number -> [Operation] in
                let to = seed.once(in: 2) ? new : (new + number) % 5
                return [.wait(seconds: seed.one(of: [61, 3601])), step("ask", browser, to)]
                    + (seed.once(in: 3) ? signIn(browser, seed.below(3)) : signIn(browser, address))
            }
            return ask + askers + [step("right", browser)]
        case 7:
            let ends: [Operation] = [
                .restore, .move(address: new, to: seed.below(5)), .erase(address: new, mode: .now),
                .signOutUser(address: new), .disable(address: new),
            ]
            return [.backUp] + change + [.look(browser: browser), seed.one(of: ends), step("stop", other)]
        case 8:
            let second = [Operation.wait(seconds: 61), step("ask", browser, (new + 1) % 5)]
            let wrong = Array(repeating: step("wrong", browser), count: seed.one(of: [1, 4, 5]))
            return ask + (seed.once(in: 2) ? second : []) + wrong + [step("right", browser)]
        default: return change + signIn(browser, new) + [step("ask", browser, seed.below(5)), step("right", browser)]
        }
    }

    /// The address that a user has asked for is that of a new account meanwhile, which leaves it again.
    private static let race =
        signIn(0, 0) + [step("ask", 0, 4)] + signIn(1, 4) + [step("ask", 1, 1), step("right", 1), step("right", 0)]

    /// Users, a thief of a browser or of a mailbox, strangers and operators.
    private static func history(_ seed: inout Seed) -> [Operation] {
        let begin = seed.once(in: 4) ? race : []
        return begin
            + (0..<13).flatMap { _ -> [Operation] in
                let (browser, address, new) = (seed.below(3), seed.below(3), seed.below(5))
                let others: [Operation] = [
                    .signOut(browser: browser), .disable(address: address), .enable(address: address),
                    .erase(address: address, mode: .now), .move(address: address, to: new), .invite(address: new),
                    .withdraw(address: new), .endOthers(browser: browser), .backUp, .restore, .restart, .jobs,
                    .printLink(address: new), .useLink(browser: browser, link: 0), .signOutUser(address: new),
                    .allow(narrowed: seed.once(in: 2)), .link(browser: browser, of: seed.below(3)),
                    .usePasskey(browser: browser, passkey: 0, how: .right), .look(browser: browser),
                ]
                switch seed.below(6) {
                case 0, 1, 2: return story(&seed)
                case 3: return [.wait(seconds: seed.one(of: [1, 60, 7200, 86_399, 86_400, 432_000]))]
                case 4: return [step("stop", browser, seed.below(3))]
                default: return [seed.one(of: others)]
                }
            }
    }

    @Test("random histories of users, owners of old addresses and operators agree")
    func histories() async throws {
        for number in 1...30 as ClosedRange<UInt64> {
            var seed = Seed(number)
            try await History.agree(Self.history(&seed), seed: number, adding: Self.added)
        }
    }
}
