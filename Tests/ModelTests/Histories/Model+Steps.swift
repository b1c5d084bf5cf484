/// One step: what is answered, and what it causes.
struct Outcome: Equatable, Sendable {
    var answer: String
    /// Emails that left, and messages that clients received, sorted.
    var sent: [String]
    var received: [String]
    /// The rows of the audit log, sorted.
    var recorded: [String] = []

    var lines: [String] {
        ["answers \(answer)"] + sent.map { "email to \($0)" } + received.map { "tells \($0)" }
            + recorded.map { "records \($0)" }
    }

    static func row(_ event: String, _ client: String?, _ account: Int?, _ cause: String?) -> String {
        [event, client, account.map { "account \($0)" }, cause].compactMap(\.self).joined(separator: " ")
    }
}

extension Model {
    mutating func step(_ operation: Operation) -> Outcome {
        (sent, received, recorded) = ([], [], [])
        return settle(answer(operation))
    }

    /// What leaves after a step.
    mutating func settle(_ answer: String) -> Outcome {
        sendEmails()
        deliver()
        return Outcome(answer: answer, sent: sent.sorted(), received: received.sorted(), recorded: recorded.sorted())
    }

    mutating func answer(_ operation: Operation) -> String {
        switch operation {
        case .ask(let browser, let address): ask(browser, address)
        case .type(let browser, let code, let remember): type(browser, code, remember)
        case .look(let browser): look(browsers[browser].session)
        case .lookEarlier(let browser): browsers[browser].earlier.map { look($0) } ?? "nothing"
        case .link(let browser, let other): link(browser, of: other)
        case .endOthers(let browser): endOthers(browser)
        case .endSession(let browser, let other): endSession(browser, browsers[other].signedIn)
        case .signOut(let browser): signOut(browser)
        case _ where operation.isOfPasskeys: answerPasskey(operation)
        case .authorize(let browser, let client, let wish): authorize(browser, client, wish)
        case .redeem, .question, .exchange, .refresh, .userInfo, .introspect, .revoke, .server:
            answerClient(operation)
        case .wait, .jobs, .restart, .node, .backUp, .restore, .file, .allow: pass(operation)
        case .added(let step): history.added?(&self, step) ?? "no such step"
        default: change(operation)?.rawValue ?? "no such step"
        }
    }

    private mutating func type(_ browser: Int, _ code: Operation.TypedCode, _ remember: Bool) -> String {
        guard browsers[browser].hasForm else { return "no form" }
        let codes: [Int: Int] =
            switch code {
            case .wrong: [:]
            case .right: browsers[browser].codes
            case .of(let other): browsers[other].codes
            }
        return type(browser, codes, remember: remember)
    }

    private mutating func link(_ browser: Int, of other: Int) -> String {
        guard let address = browsers[other].asked, let challenge = browsers[other].codes[address] else {
            return "nothing"
        }
        return link(browser, challenge)
    }

    private mutating func answerClient(_ operation: Operation) -> String {
        let answer: String? =
            switch operation {
            case .redeem(let client, let back, let how):
                grant(back, isOpenID: false).map {
                    redeem(client, $0, secret: secret(of: client, how), isRightAddress: how != .wrongAddress)
                }
            case .question(let client, let back):
                Self.newest(back, of: history.told.count).map { question(client, history.told[$0]) }
            case .exchange(let client, let back): grant(back, isOpenID: true).map { exchange(client, $0) }
            case .refresh(let client, let back): token(back, isRefresh: true).map { refresh(client, $0) }
            case .userInfo(let back): token(back, isRefresh: false).map { userInfo($0) }
            case .introspect(let client, let back): token(back, isRefresh: false).map { introspect(client, $0) }
            case .revoke(let client, let back): token(back).map { revoke(client, $0) }
            case .server(let client, let isDown): serve(client, isDown)
            default: "no such step"
            }
        return answer ?? "nothing"
    }

    private mutating func serve(_ client: Int, _ isDown: Bool) -> String {
        clients[client].isDown = isDown
        return "done"
    }

    private mutating func change(_ operation: Operation) -> Change? {
        switch operation {
        case .disable(let address): disable(address)
        case .enable(let address): enable(address)
        case .signOutUser(let address): signOutUser(address)
        case .signOutEveryone: signOutEveryone()
        case .erase(let address, let mode): erase(address, mode)
        case .end(let address, let days): setEnd(address, days)
        case .move(let address, let new): move(address, new)
        case .invite(let address): invite(address)
        case .withdraw(let address): withdraw(address)
        case .join(let address, let group): join(address, group)
        case .leave(let address, let group): leave(address, group)
        case .access(let client, let groups): access(client, groups: groups)
        case .enableClient(let client, let isEnabled): enableClient(client, isEnabled)
        case .replaceClient(let client): replaceClient(client)
        case .rotate(let client): rotate(client)
        case .retire(let client): retire(client)
        case .retryMessages: retryMessages()
        case .endByOperator(let address, let browser): endByOperator(address, browsers[browser].signedIn)
        case .require(let client, let isStrict): require(client, isStrict: isStrict)
        default: nil
        }
    }

    private mutating func pass(_ operation: Operation) -> String {
        switch operation {
        case .wait(let seconds): now += seconds * Span.second
        case .jobs: carryOutDue()
        case .restart: start()
        case .node(let number):
            node = number
            if !nodes[number].runs { start([number]) }
        case .backUp: if history.hasBackups { backUp() }
        case .restore: return restore()
        case .file(let drops, let isReloaded):
            fileDrops = drops
            if isReloaded { for node in nodes.indices where nodes[node].runs { readFile(node) } }
        case .allow(let isNarrowed):
            self.isNarrowed = isNarrowed
            start()
        default: break
        }
        return "done"
    }
}
