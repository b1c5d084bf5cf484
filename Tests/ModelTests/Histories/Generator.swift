/// Makes histories from a seed: operations with weights, so that those which lead somewhere come often.
struct Generator {
    var seed: Seed
    /// What a history is mostly about, so that its steps meet.
    private var focus = Array(repeating: 0, count: 3)
    /// Of steps that are added, for a third of all.
    private let added: [String]

    init(_ seed: UInt64, adding added: [String] = []) { (self.seed, self.added) = (Seed(seed), added) }

    /// A history of some length.
    mutating func history() -> [Operation] {
        let length = 30 + seed.below(170)
        focus = [
            seed.one(of: [0, 0, 0, 1, 1, 2, 3]), seed.one(of: [0, 0, 0, 0, 0, 1, 1, 2, 3, 4]),
            seed.below(Cast.clients.count),
        ]
        // Each history has its own taste, so that rare things come often in some.
        let tastes = (0..<Self.kinds.count).map { _ in seed.once(in: 3) ? 0 : 1 + seed.below(3) }
        var operations: [Operation] = []
        while operations.count < length { operations += steps(tastes) }
        return operations
    }

    /// One step, or some that lead somewhere together: most of what can end must have begun.
    private mutating func steps(_ tastes: [Int]) -> [Operation] {
        let browser = browser()
        if !added.isEmpty, seed.once(in: 3) {
            return [.added(AddedStep(name: seed.one(of: added), browser: browser, back: recent()))]
        }
        switch seed.below(12) {
        case 0, 1:
            return [
                .wait(seconds: pause()), .ask(browser: browser, address: address()),
                .type(browser: browser, code: .right, remember: seed.once(in: 4)),
            ]
        case 2:
            return [.ask(browser: browser, address: address()), .link(browser: browser, of: browser)]
        case 5: return passkeys(browser)
        case 6, 7, 8: return arc()
        case 3, 4:
            let client = client()
            let use: Operation =
                client == Cast.openID
                ? .exchange(client: client, grant: 0) : .redeem(client: client, grant: 0, how: .right)
            return [.authorize(browser: browser, client: client, wish: .none), use]
        default: return (0..<4).map { _ in operation(tastes) }
        }
    }

    /// What leads to a passkey, or on with one.
    private mutating func passkeys(_ browser: Int) -> [Operation] {
        let address = address()
        let use = Operation.usePasskey(browser: browser, passkey: 0, how: .right)
        switch seed.below(5) {
        case 0:
            return [
                .wait(seconds: pause()), .ask(browser: browser, address: address),
                .type(browser: browser, code: .right, remember: false),
                .addPasskey(browser: browser, isHardware: seed.once(in: 2)),
            ]
        case 1: return [.signOut(browser: browser), use, .addPasskey(browser: browser, isHardware: seed.once(in: 2))]
        case 2:
            return [
                .printLink(address: address), .useLink(browser: browser, link: 0),
                .addPasskey(browser: browser, isHardware: seed.once(in: 2)),
            ]
        case 3: return [.authorize(browser: browser, client: client(), wish: .strong), use]
        default: return [use, .removePasskey(browser: browser, passkey: 0)]
        }
    }

    private enum Kind {
        case signIn, session, authorize, client, openID, passkey, account, access, registry, time, world
    }
    private static let kinds: [(Kind, Int)] = [
        (.signIn, 14), (.session, 5), (.authorize, 10), (.client, 8), (.openID, 8), (.passkey, 7), (.account, 4),
        (.access, 3),
        (.registry, 3), (.time, 8), (.world, 3),
    ]

    private mutating func operation(_ tastes: [Int]) -> Operation {
        let weights = zip(Self.kinds, tastes).map { kind, taste in
            [.signIn, .time, .authorize].contains(kind.0) ? kind.1 * max(1, taste) : kind.1 * taste
        }
        var place = seed.below(weights.reduce(0, +))
        for (index, weight) in weights.enumerated() {
            if place < weight { return operation(Self.kinds[index].0) }
            place -= weight
        }
        return .jobs
    }

    private mutating func operation(_ kind: Kind) -> Operation {
        switch kind {
        case .signIn: signIn()
        case .session: session()
        case .authorize:
            .authorize(
                browser: browser(), client: client(),
                wish: seed.one(of: [.none, .none, .none, .login, .silent, .fresh, .strong]))
        case .client: ofClient()
        case .openID: ofOpenID()
        case .passkey: ofPasskey()
        case .account: ofAccount()
        case .access: ofAccess()
        case .registry: ofRegistry()
        case .time: .wait(seconds: seed.once(in: 3) ? seed.one(of: Self.waits) : 1 + seed.below(200))
        case .world: ofWorld()
        }
    }

    static let waits = [
        1, 10, 59, 60, 61, 61, 120, 299, 300, 301, 599, 600, 601, 3599, 3600, 7199, 7200, 7201, 43_200, 86_400, 604_800,
        2_592_000, 7_776_000,
    ]

    /// Before an email: none leaves where an address has had too many.
    mutating func pause() -> Int { seed.one(of: [61, 61, 14_400]) }
    mutating func browser() -> Int { seed.once(in: 3) ? seed.below(Cast.browsers) : focus[0] }
    mutating func address() -> Int { seed.once(in: 3) ? seed.below(Cast.addresses.count) : focus[1] }
    mutating func client() -> Int { seed.once(in: 2) ? seed.below(Cast.clients.count) : focus[2] }
    mutating func recent() -> Int { seed.one(of: [0, 0, 0, 0, 1, 1, 2, 3, 5, 8]) }

    private mutating func signIn() -> Operation {
        let browser = browser()
        if seed.once(in: 2) { return .ask(browser: browser, address: address()) }
        if seed.once(in: 4) { return .link(browser: browser, of: seed.once(in: 3) ? self.browser() : browser) }
        let code: Operation.TypedCode =
            seed.once(in: 6) ? .wrong : seed.once(in: 8) ? .of(self.browser()) : .right
        return .type(browser: browser, code: code, remember: seed.once(in: 4))
    }

    private mutating func session() -> Operation {
        switch seed.below(9) {
        case 0, 1: .signOut(browser: browser())
        case 2: .endOthers(browser: browser())
        case 3: .endSession(browser: browser(), of: browser())
        case 4: .endByOperator(address: address(), browser: browser())
        case 5, 6: .lookEarlier(browser: browser())
        default: .look(browser: browser())
        }
    }

    private mutating func kill() -> Operation {
        let step: Operation =
            switch seed.below(9) {
            case 0, 1, 2: .redeem(client: client(), grant: recent(), how: .right)
            case 3, 4: .exchange(client: Cast.openID, grant: recent())
            case 5: .enableClient(client: seed.one(of: Cast.stored), isEnabled: false)
            case 6: .leave(address: address(), group: 0)
            case 7: .revoke(client: Cast.openID, token: recent())
            default:
                seed.one(of: [
                    .disable(address: address()), .erase(address: address(), mode: .now),
                    .signOutUser(address: address()), .forgetPasskeys, .withdrawLink(address: address()),
                ])
            }
        return .kill(step, after: seed.below(14))
    }

    private mutating func ofWorld() -> Operation {
        switch seed.below(20) {
        case 14...: kill()
        case 0, 1, 2: .jobs
        case 3, 4: .restart
        case 5, 6: .node(seed.below(2))
        case 7, 8: .backUp
        case 9, 10: .restore
        case 11, 12: .file(drops: seed.once(in: 2), isReloaded: seed.once(in: 2))
        default: .allow(narrowed: seed.once(in: 2))
        }
    }

    private mutating func ofClient() -> Operation {
        switch seed.below(6) {
        case 0: .question(client: client(), told: recent())
        case 1: .question(client: client(), told: recent())
        case 2: seed.once(in: 4) ? .retryMessages : .server(client: client(), isDown: seed.once(in: 2))
        default:
            .redeem(
                client: client(), grant: recent(),
                how: seed.one(of: [.right, .right, .right, .right, .wrongAddress, .wrongSecret, .formerSecret]))
        }
    }

    private mutating func ofOpenID() -> Operation {
        let client = seed.once(in: 12) ? client() : Cast.openID
        switch seed.below(8) {
        case 0, 1, 2: return .exchange(client: client, grant: recent())
        case 3, 4: return .refresh(client: client, token: recent())
        case 5: return .userInfo(token: recent())
        case 6: return .introspect(client: client, token: recent())
        default: return .revoke(client: client, token: recent())
        }
    }

    private mutating func ofPasskey() -> Operation {
        let (browser, passkey) = (browser(), seed.one(of: [0, 0, 0, 1, 2]))
        switch seed.below(18) {
        case 0, 1, 2: return .addPasskey(browser: browser, isHardware: seed.once(in: 2))
        case 3: return .renamePasskey(browser: browser, passkey: passkey)
        case 4, 5: return .removePasskey(browser: browser, passkey: passkey)
        case 6, 7: return .useLink(browser: browser, link: seed.one(of: [0, 0, 0, 1]))
        case 8, 9: return .printLink(address: address())
        case 10: return .withdrawLink(address: address())
        case 11: return .removeFor(address: address(), passkey: passkey)
        case 12: return seed.once(in: 4) ? .forgetPasskeys : .withdrawLink(address: address())
        default:
            let how: Operation.Touch = seed.one(of: [.right, .right, .right, .right, .copied, .replayed])
            return .usePasskey(browser: browser, passkey: passkey, how: how)
        }
    }

    private mutating func ofAccount() -> Operation {
        let address = address()
        switch seed.below(12) {
        case 0, 1: return .disable(address: address)
        case 2, 3: return .enable(address: address)
        case 4: return .signOutUser(address: address)
        case 5: return seed.once(in: 3) ? .signOutEveryone : .signOutUser(address: address)
        case 6, 7: return .erase(address: address, mode: seed.one(of: [.now, .later, .cancel]))
        case 8: return .end(address: address, days: seed.one(of: [nil, 0, 1, 7, 30]))
        case 9: return .move(address: address, to: self.address())
        case 10: return .invite(address: address)
        default: return .withdraw(address: address)
        }
    }

    private mutating func ofAccess() -> Operation {
        let (address, group) = (address(), seed.one(of: [0, 0, 0, 1]))
        return seed.once(in: 3) ? .leave(address: address, group: group) : .join(address: address, group: group)
    }

    private mutating func ofRegistry() -> Operation {
        let client = seed.once(in: 6) ? client() : seed.one(of: Cast.stored)
        switch seed.below(8) {
        case 6, 7: return .require(client: client, isStrict: seed.once(in: 2))
        case 0: return .access(client: client, groups: seed.once(in: 2))
        case 1: return .enableClient(client: client, isEnabled: false)
        case 2: return .enableClient(client: client, isEnabled: true)
        case 3: return .replaceClient(client: client)
        case 4: return .rotate(client: client)
        default: return .retire(client: client)
        }
    }
}
