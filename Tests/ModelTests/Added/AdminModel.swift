import Testing

@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit

extension Model {
    struct Admins: Sendable {
        /// Roles that were granted, and when, by account.
        var roles: [Int: [String: Int]] = [:]
        /// What all admins are not told yet (clients were added before), since when and up to when that was looked for, and when they
        /// were told.
        var news = [News(at: 0)], startedAt = 0, lookedAt: Int?, toldAt: Int?
    }

    struct News: Sendable {
        let at: Int
        /// Who is told as well.
        var keptOut: Int?
        /// Whether it is told only of an admin.
        var isOfAdmins = false
    }

    /// docs/admin.md: every changed role, client and secret, each passkey that an operator removes, and each admin who is kept out, is
    /// told to all admins.
    mutating func noteNews(_ event: String, account: Int?, _ cause: String?) {
        let always = [
            "role_changed", "client_changed", "client_secret_added", "client_secret_retired", "passkeys_forgotten",
        ]
        if always.contains(event) || event == "passkey_removed" && cause == "operator" {
            let isRevoked = event == "role_changed" && cause == "revoked"
            admins.news.append(News(at: now, keptOut: isRevoked ? account : nil))
        } else if event == "user_changed", ["disabled", "erase_requested", "end_date"].contains(cause) {
            admins.news.append(News(at: now, keptOut: account, isOfAdmins: true))
        }
    }
}

/// The model of the admin pages (docs/admin.md): who has a role that counts, what a page lets them do, and what all admins are told.
@Suite("The model of roles, and of what admins do and are told", .program)
struct AdminModel {
    /// The first address, where the setting names one.
    private static let named = 0

    private static func added(isNamed: Bool) -> AddedSteps {
        AddedSteps(
            features: .init(), settings: isNamed ? ["IDP_ADMINS": Cast.addresses[named]] : [:],
            model: { AdminRules(isNamed: isNamed).step(&$0, $1) },
            world: { try await AdminWorld(isNamed: isNamed).step($0, $1) })
    }

    /// What changes roles, and what ends them.
    private static func history(_ seed: inout Seed) -> [Operation] {
        let begin: [Operation] = (0..<2).flatMap { who -> [Operation] in
            let role = seed.one(of: ["admin", "admin", "auditor"])
            return [
                .ask(browser: who, address: who), .type(browser: who, code: .right, remember: false),
                .added(AddedStep(name: "grant \(role)", back: who)),
            ]
        }
        return (seed.once(in: 3) ? [] : begin)
            + (0..<50).flatMap { _ -> [Operation] in
                let (browser, address, other) = (seed.below(2), seed.below(2), seed.below(3))
                func step(_ name: String) -> Operation { .added(AddedStep(name: name, browser: browser, back: other)) }
                let role = seed.one(of: ["admin", "admin", "auditor"])
                let ends: [Operation] = [
                    .signOut(browser: browser), .disable(address: other), .enable(address: other),
                    .erase(address: other, mode: .now), .end(address: other, days: 1), .end(address: other, days: nil),
                    .signOutUser(address: other), .move(address: other, to: 4), .move(address: 4, to: other),
                    .removeFor(address: other, passkey: 0), .backUp, .restore, .restart,
                ]
                let news: [Operation] = [
                    .rotate(client: 2), .retire(client: 2), .access(client: 2, groups: seed.once(in: 2)),
                    .enableClient(client: 2, isEnabled: seed.once(in: 2)),
                    .require(client: 2, isStrict: seed.once(in: 2)),
                ]
                switch seed.below(16) {
                case 0, 1, 2:
                    let code = Operation.type(browser: browser, code: .right, remember: seed.once(in: 3))
                    return [.wait(seconds: 61), .ask(browser: browser, address: address), code]
                case 3: return [.printLink(address: other), .useLink(browser: browser, link: 0)]
                case 4:
                    let tell: [Operation] = [.wait(seconds: 301), .added(AddedStep(name: "tell"))]
                    let end = Operation.removeFor(address: address, passkey: 0)
                    return [.addPasskey(browser: browser, isHardware: false)]
                        + (seed.once(in: 2) ? tell + [end] + tell : [])
                case 5: return [.wait(seconds: seed.one(of: [1, 60, 299, 300, 601, 1799, 1801, 7200]))]
                case 6, 7: return [step("grant \(role)")]
                case 8: return [step("revoke \(role)")]
                case 9: return [seed.one(of: ends)]
                case 10: return [seed.one(of: news)]
                case 11: return [.added(AddedStep(name: "tell"))]
                case 12, 13: return [step("page")]
                default:
                    return [
                        step(seed.one(of: ["disables", "enables", "signs out", "grants \(role)", "revokes \(role)"]))
                    ]
                }
            }
    }

    @Test("random histories of admins, auditors and commands agree", arguments: [false, true])
    func histories(isNamed: Bool) async throws {
        for number in 1...20 as ClosedRange<UInt64> {
            var seed = Seed(number)
            try await History.agree(Self.history(&seed), seed: number, adding: Self.added(isNamed: isNamed))
        }
    }
}

/// What is right.
private struct AdminRules {
    let isNamed: Bool

    func step(_ model: inout Model, _ step: AddedStep) -> String {
        let words = step.name.split(separator: " ").map(String.init)
        let role = words.dropFirst().first ?? ""
        switch words[0] {
        case "tell": return tell(&model)
        case "grant": return grant(&model, step.back, role).rawValue
        case "revoke": return revoke(&model, step.back, role).rawValue
        default: return visit(&model, step, words[0], role)
        }
    }

    // MARK: Roles

    private func isNamed(_ model: Model, _ account: Int) -> Bool { isNamed && model.accounts[account].address == 0 }

    /// The mailbox was proven here, or a passkey is there: a printed link alone makes no admin.
    private func counts(_ model: Model, _ account: Int) -> Bool {
        model.accounts[account].hasMailbox || model.hasPasskey(account)
    }

    private func role(_ model: Model, _ account: Int) -> String? {
        guard !model.accounts[account].isErased, counts(model, account) else { return nil }
        if isNamed(model, account) { return "admin" }
        return model.admins.roles[account]?.keys.min()
    }

    private func admins(_ model: Model) -> [Int] {
        model.accounts.indices.filter { account in
            (isNamed(model, account) || model.admins.roles[account]?["admin"] != nil)
                && role(model, account) == "admin" && model.maySignIn(account)
        }
    }

    private func grant(_ model: inout Model, _ address: Int, _ role: String, by admin: Int? = nil) -> Model.Change {
        guard let account = model.lasting(address), account != admin else { return .refused }
        guard model.admins.roles[account]?[role] == nil else { return .unchanged }
        model.admins.roles[account, default: [:]][role] = model.now
        return model.record("role_changed", account: account, "granted")
    }

    /// The last admin stays, unless the setting names one.
    private func revoke(_ model: inout Model, _ address: Int, _ role: String, by admin: Int? = nil) -> Model.Change {
        guard let account = model.account(of: address), account != admin else { return .refused }
        if role == "admin" {
            if isNamed(model, account) { return .refused }
            let isAdmin = self.role(model, account) == "admin"
            if isAdmin, !isNamed, admins(model).allSatisfy({ $0 == account }) { return .refused }
        }
        guard model.admins.roles[account]?.removeValue(forKey: role) != nil else { return .unchanged }
        return model.record("role_changed", account: account, "revoked")
    }

    /// All admins are told of what is new, five minutes after they were told the last time, and so is who is no admin any more. The
    /// first look is at nothing of the past. Once in a minute one looks back a day, for a command whose clock is behind.
    private func tell(_ model: inout Model) -> String {
        let (now, it) = (model.now, model.admins)
        guard let lookedAt = it.lookedAt else {
            (model.admins.lookedAt, model.admins.startedAt) = (now, now - 2 * Span.minute)
            return "told"
        }
        guard it.toldAt.map({ now - $0 >= 5 * Span.minute }) ?? true else { return "told" }
        let isOld = now - lookedAt > Span.minute
        let earliest = max(it.startedAt, lookedAt - Span.day)
        let since = isOld ? earliest : max(earliest, lookedAt - 2 * Span.minute)
        let isTold = { [model] (news: Model.News) in
            guard news.isOfAdmins, let account = news.keptOut else { return true }
            return isNamed(model, account) || it.roles[account]?["admin"].map { $0 <= news.at } ?? false
        }
        guard it.news.contains(where: { $0.at >= since && isTold($0) }) else {
            if isOld { model.admins.lookedAt = now }
            return "told"
        }
        let told = it.news.filter { $0.at >= earliest && isTold($0) }
        model.admins.news.removeAll { $0.at >= earliest && isTold($0) }
        (model.admins.lookedAt, model.admins.toldAt) = (now, now)
        let all = admins(model)
        let others = Set(told.compactMap(\.keptOut)).subtracting(all).filter { !model.accounts[$0].isErased }
        for account in all + others { model.sent.append("\(model.accounts[account].address): notice") }
        return "told"
    }

    // MARK: Pages

    private func visit(_ model: inout Model, _ step: AddedStep, _ what: String, _ wanted: String) -> String {
        let session = model.use(of: step.browser)
        guard let session, let user = model.signIn(session) else {
            guard isNamed || model.admins.roles.values.contains(where: { !$0.isEmpty }) else { return "404" }
            model.sessions[model.session(of: step.browser)].seenAt = model.now
            return "signs in"
        }
        guard let own = role(model, user.account) else { return "404" }
        let last = model.sessions[session].added["admin"] ?? model.sessions[session].createdAt
        if model.now - last > 30 * Span.minute {
            model.sessions[session].seenAt = model.now
            return "signs in"
        }
        if model.sessions[session].added["admin"].map({ model.now - $0 >= Span.minute }) ?? true {
            model.sessions[session].added["admin"] = model.now
            model.sessions[session].seenAt = model.now
        }
        if what == "page" { return "page" }
        guard own == "admin" else { return "403" }
        if let refusal = refusal(model, what, wanted, of: model.account(of: step.back), by: user.account) {
            return refusal
        }
        guard model.now - user.at <= 10 * Span.minute else {
            model.sessions[session].seenAt = model.now
            return "asks again"
        }
        return make(&model, what, wanted, step.back, by: user.account)
    }

    /// An admin keeps nobody out whom the setting names, and not oneself, and changes no own role.
    private func refusal(_ model: Model, _ what: String, _ wanted: String, of account: Int?, by admin: Int) -> String? {
        guard let account else { return what == "grants" ? "422" : "404" }
        let it = model.accounts[account]
        switch what {
        case "disables":
            if isNamed(model, account) || account == admin { return "403" }
            return it.isDisabled ? "409" : nil
        case "enables": return it.isDisabled ? nil : "409"
        case "grants":
            if account == admin { return "403" }
            return model.admins.roles[account]?[wanted] != nil ? "422" : nil
        case "revokes":
            guard model.admins.roles[account]?[wanted] != nil else { return "404" }
            return account == admin || wanted == "admin" && isNamed(model, account) ? "403" : nil
        default: return nil
        }
    }

    private func make(_ model: inout Model, _ what: String, _ wanted: String, _ address: Int, by admin: Int) -> String {
        let change =
            switch what {
            case "disables": model.disable(address)
            case "enables": model.enable(address)
            case "signs": model.signOutUser(address)
            case "grants": grant(&model, address, wanted, by: admin)
            default: revoke(&model, address, wanted, by: admin)
            }
        guard change != .refused else { return "409" }
        _ = tell(&model)
        return "done"
    }
}
