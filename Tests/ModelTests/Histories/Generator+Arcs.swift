/// Steps that belong together: something begins, ends, has its end taken back, and is used. What has ended must not come back.
extension Generator {
    /// Who an arc is about.
    struct Subject {
        let browser, address, client: Int
        /// What the client redeems, and what it does with what it was told.
        var use: Operation {
            client == Cast.openID
                ? .exchange(client: client, grant: 0) : .redeem(client: client, grant: 0, how: .right)
        }
        var signIn: [Operation] { signIn(after: 61) }
        func signIn(after seconds: Int) -> [Operation] {
            [.wait(seconds: seconds), .ask(browser: browser, address: address), typed]
        }
        var typed: Operation { .type(browser: browser, code: .right, remember: false) }
        func authorize(_ wish: Operation.Wish = .none) -> Operation {
            .authorize(browser: browser, client: client, wish: wish)
        }
        func touch(_ how: Operation.Touch) -> Operation { .usePasskey(browser: browser, passkey: 0, how: how) }
    }

    mutating func arc() -> [Operation] {
        if seed.once(in: 5) { return story() }
        let it = Subject(browser: browser(), address: address(), client: seed.one(of: [client(), 0, 1, 2, 3, 3]))
        let isRestored = seed.once(in: 4)
        var steps = begun(it)
        if isRestored { steps.append(.backUp) }
        var back: [Operation] = []
        for _ in 0...seed.below(2) {
            let next = seed.once(in: 4) ? (end: begun(it), back: []) : ending(it)
            steps += next.end
            if seed.once(in: 2) { back += next.back }
        }
        if isRestored { steps.append(.restore) }
        steps += back
        for _ in 0...seed.below(3) { steps += used(it) }
        return steps
    }

    /// What leads somewhere only as a whole.
    private mutating func story() -> [Operation] {
        let it = Subject(browser: browser(), address: address(), client: client())
        let signIn = [.signOut(browser: it.browser)] + it.signIn
        let wrong = Operation.type(browser: it.browser, code: .wrong, remember: false)
        let openID = Subject(browser: it.browser, address: it.address, client: Cast.openID)
        let oldest = Operation.refresh(client: Cast.openID, token: 2 + seed.below(2))
        switch seed.below(8) {
        case 0: return signIn.dropLast() + Array(repeating: wrong, count: 4 + seed.below(2)) + [it.typed]
        case 1:
            let again: [Operation] = [
                .access(client: Cast.openID, groups: true), .access(client: Cast.openID, groups: false),
            ]
            return signIn + [openID.authorize(), openID.use] + again + [openID.authorize(), openID.use, oldest]
        case 2:
            let dropped: [Operation] = [
                .file(drops: true, isReloaded: false), .restart, .file(drops: false, isReloaded: false), .restart,
            ]
            let first = Subject(browser: it.browser, address: it.address, client: 0)
            return signIn + [first.authorize()] + dropped + [first.use]
        case 3:
            let strict = Operation.require(client: Cast.openID, isStrict: true)
            return signIn + [openID.authorize(), openID.use, strict, .refresh(client: Cast.openID, token: 0)]
        case 4:
            let links = Array(repeating: Operation.printLink(address: it.address), count: 2)
            return links + [.useLink(browser: it.browser, link: seed.below(2)), .useLink(browser: it.browser, link: 0)]
        case 5:
            return signIn + [it.authorize(.login)] + it.signIn + [.lookEarlier(browser: it.browser)]
        case 6:
            // The backup has another address, and nobody has proven the one that is kept.
            let moved = Subject(browser: browser(), address: self.address(), client: it.client)
            return signIn + [.addPasskey(browser: it.browser, isHardware: false), .backUp]
                + [.move(address: it.address, to: moved.address), .restore] + moved.signIn
                + [.usePasskey(browser: it.browser, passkey: 0, how: .right)]
        default:
            let client = seed.one(of: Cast.stored)
            let other = Subject(browser: it.browser, address: it.address, client: client)
            return signIn + [
                .join(address: it.address, group: 0), .access(client: client, groups: true), other.authorize(),
            ]
                + [.leave(address: it.address, group: 0), other.use]
        }
    }

    private mutating func begun(_ it: Subject) -> [Operation] {
        var steps: [Operation] =
            switch seed.below(8) {
            case 0: [.printLink(address: it.address), .useLink(browser: it.browser, link: 0)]
            case 1: [.signOut(browser: it.browser), it.touch(.right)]
            case 2, 3: Array(repeating: .printLink(address: it.address), count: seed.below(3))
            default: it.signIn(after: pause())
            }
        switch seed.below(6) {
        case 0: steps.append(it.authorize())
        case 1: steps += [it.authorize(), it.use]
        case 2: steps += [it.authorize(), it.use, it.authorize()]
        case 3: steps.append(.addPasskey(browser: it.browser, isHardware: seed.once(in: 2)))
        case 4: steps += [.join(address: it.address, group: 0), it.authorize()]
        default: break
        }
        return steps
    }

    /// What ends something, and what takes that back, or follows it.
    private mutating func ending(_ it: Subject) -> (end: [Operation], back: [Operation]) {
        let (browser, address, client) = (it.browser, it.address, it.client)
        switch seed.below(24) {
        case 0: return ([.disable(address: address), it.touch(.right)], [.enable(address: address)])
        case 1: return ([.signOutUser(address: address)], [])
        case 2:
            let moved = Subject(browser: browser, address: self.address(), client: client)
            return ([.move(address: address, to: moved.address)], moved.signIn)
        case 3, 4:
            let jobs: [Operation] = seed.once(in: 2) ? [.jobs] : []
            return (
                [.end(address: address, days: 1), .wait(seconds: 86_400)] + jobs, [.end(address: address, days: nil)]
            )
        case 5:
            let mode: Operation.Erasing = seed.once(in: 3) ? .later : .now
            return ([.erase(address: address, mode: mode)], [.erase(address: address, mode: .cancel)])
        case 6: return ([.leave(address: address, group: 0)], [.join(address: address, group: 0)])
        case 7: return ([.access(client: client, groups: true)], [.access(client: client, groups: false)])
        case 8: return ([.require(client: client, isStrict: true)], [.require(client: client, isStrict: false)])
        case 9:
            return ([.enableClient(client: client, isEnabled: false)], [.enableClient(client: client, isEnabled: true)])
        case 10: return ([.replaceClient(client: client)], [])
        case 11: return ([.rotate(client: client), .retire(client: client)], [.rotate(client: client)])
        case 12: return ([.file(drops: true, isReloaded: true)], [.file(drops: false, isReloaded: true)])
        case 13: return ([.file(drops: true, isReloaded: false), .restart], [.file(drops: false, isReloaded: true)])
        case 14: return ([.signOut(browser: browser)], it.signIn)
        case 15: return ([.endOthers(browser: browser)], [])
        case 16: return ([it.authorize(.login)] + it.signIn, [])
        case 17: return ([.removeFor(address: address, passkey: 0)], [])
        case 18: return ([.printLink(address: address)], [.withdrawLink(address: address)])
        case 19: return ([.allow(narrowed: true)], [.allow(narrowed: false)])
        case 20:
            let wrong = Operation.type(browser: browser, code: .wrong, remember: false)
            let ask = Operation.ask(browser: browser, address: address)
            return ([.wait(seconds: 61), ask] + Array(repeating: wrong, count: 5), [it.typed])
        case 21, 22:
            return (
                [.server(client: client, isDown: true), .signOutUser(address: address), .wait(seconds: 1)],
                [.server(client: client, isDown: false), .wait(seconds: 9)]
            )
        default: return ([.wait(seconds: seed.one(of: Self.waits))], [])
        }
    }

    private mutating func used(_ it: Subject) -> [Operation] {
        let isOpenID = it.client == Cast.openID
        if isOpenID, seed.once(in: 3) { return refreshed() }
        switch seed.below(12) {
        case 0: return it.signIn
        case 1: return [it.authorize(), it.use]
        case 2: return [isOpenID ? .userInfo(token: recent()) : .question(client: it.client, told: recent())]
        case 3: return [it.touch(.replayed)]
        case 4: return [.printLink(address: it.address)]
        case 5: return [.useLink(browser: it.browser, link: seed.one(of: [0, 1]))]
        case 6: return [.signOut(browser: it.browser), .link(browser: it.browser, of: it.browser)]
        case 7:
            let ask = Operation.ask(browser: it.browser, address: it.address)
            return [.wait(seconds: pause()), ask, .link(browser: browser(), of: it.browser), it.typed]
        case 8:
            let leave = Operation.signOut(browser: it.browser)
            return [leave, it.touch(.right), leave, it.touch(seed.one(of: [.copied, .replayed]))]
        case 9: return [.look(browser: it.browser)]
        default:
            let how: Operation.Presentation = seed.one(of: [.right, .right, .formerSecret])
            return [
                it.use,
                isOpenID
                    ? .exchange(client: it.client, grant: recent())
                    : .redeem(client: it.client, grant: recent(), how: how),
            ]
        }
    }

    /// Once or twice, and perhaps with a token that was replaced.
    private mutating func refreshed() -> [Operation] {
        let refresh = Operation.refresh(client: Cast.openID, token: 0)
        if seed.once(in: 2) { return [.refresh(client: Cast.openID, token: recent()), .userInfo(token: recent())] }
        return [refresh, .wait(seconds: 2), refresh, .refresh(client: Cast.openID, token: 1 + seed.below(2)), refresh]
    }
}
