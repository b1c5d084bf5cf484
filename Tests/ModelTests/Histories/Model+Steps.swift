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
        for index in emails.indices where emails[index].at <= now && !emails[index].isTaken {
            emails[index].isTaken = true
            if emails[index].isDecoy || emails[index].expiresAt <= now { continue }
            if let challenge = emails[index].challenge, challenges[challenge].isUsed { continue }
            sent.append("\(emails[index].address): \(emails[index].kind)")
        }
        deliver()
        return Outcome(answer: answer, sent: sent.sorted(), received: received.sorted(), recorded: recorded.sorted())
    }

    mutating func answer(_ operation: Operation) -> String {
        switch operation {
        case .ask(let browser, let address): ask(browser, address)
        case .type(let browser, let code, let remember): type(browser, code, remember: remember)
        case .look(let browser): look(browser)
        case .lookEarlier(let browser): lookEarlier(browser)
        case .link(let browser, let other): link(browser, other)
        case .endOthers(let browser): endOthers(browser)
        case .endSession(let browser, let other): endSession(browser, other)
        case .signOut(let browser): signOut(browser)
        case _ where operation.isOfPasskeys: answerPasskey(operation)
        case .authorize(let browser, let client, let wish): authorize(browser, client, wish)
        case .redeem, .question, .exchange, .refresh, .userInfo, .introspect, .revoke, .server:
            answerClient(operation)
        case .wait, .jobs, .restart, .node, .backUp, .restore, .file, .allow: pass(operation)
        case .added(let step): answerAdded(step)
        default: answerOperator(operation)
        }
    }

    private mutating func answerAdded(_ step: AddedStep) -> String {
        guard let added else { return "no such step" }
        return added(&self, step)
    }

    private mutating func answerClient(_ operation: Operation) -> String {
        switch operation {
        case .redeem(let client, let grant, let how): return redeem(client, grant, how)
        case .question(let client, let told): return question(client, told)
        case .exchange(let client, let grant): return exchange(client, grant)
        case .refresh(let client, let token): return refresh(client, token)
        case .userInfo(let token): return userInfo(token)
        case .introspect(let client, let token): return introspect(client, token)
        case .revoke(let client, let token): return revoke(client, token)
        case .server(let client, let isDown):
            clients[client].isDown = isDown
            return "done"
        default: return "no such step"
        }
    }

    private mutating func answerOperator(_ operation: Operation) -> String {
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
        case .endByOperator(let address, let browser): endByOperator(address, browser)
        case .require(let client, let isStrict): require(client, isStrict: isStrict)
        default: "no such step"
        }
    }

    private mutating func pass(_ operation: Operation) -> String {
        switch operation {
        case .wait(let seconds): now += seconds * Span.second
        case .jobs: carryOutDue()
        case .restart: start()
        case .node(let number):
            node = number
            if !runs[number] { start([number]) }
        case .backUp: return backUp()
        case .restore: return restore()
        case .file(let drops, let isReloaded):
            fileDrops = drops
            if isReloaded { for node in runs.indices where runs[node] { readFile(node) } }
        case .allow(let isNarrowed):
            self.isNarrowed = isNarrowed
            start()
        default: break
        }
        return "done"
    }

    /// docs/protocol.md 7: 90 days after its end nobody knows a sign-in at a client. The end of a session by time is an end, too,
    /// but no sign-out.
    private mutating func forgetSignIns() {
        guard now >= rests[node] else { return }
        rests[node] = now + Span.hour
        for index in signIns.indices where !signIns[index].isDeleted {
            if let endedAt = signIns[index].endedAt {
                signIns[index].isDeleted = endedAt <= now - Span.told
            } else if sessions[signIns[index].session].isGone {
                (signIns[index].endedAt, signIns[index].reason) = (now, "expired")
            }
        }
    }

    mutating func endOverdue(_ account: Int) {
        guard let end = accounts[account].endsAt, end <= now, accounts[account].endedFor != end else { return }
        accounts[account].endedFor = end
        endAll(of: account, "account_ended")
        record("user_changed", account: account, "end_date_over")
    }

    /// What becomes due: end dates, accounts to be erased, secrets that were replaced and are not used.
    private mutating func carryOutDue() {
        for account in accounts.indices where !accounts[account].isErased {
            endOverdue(account)
            if let moment = accounts[account].eraseAt, moment <= now { erase(account) }
        }
        for index in challenges.indices where challenges[index].expiresAt <= now - Span.hour {
            challenges[index].isDeleted = true
        }
        for index in grants.indices where grants[index].issuedAt + Span.day * 30 <= now {
            grants[index].isDeleted = true
        }
        for index in sessions.indices where !holds(index) && sessions[index].createdAt <= now {
            sessions[index].isGone = true
        }
        forgetSignIns()
        for index in messages.indices
        where messages[index].isSettled && messages[index].settledAt <= now - 30 * Span.day {
            messages[index].isDropped = true
        }
        for client in clients.indices where clients[client].secrets.count == 2 {
            let used = clients[client].used[clients[client].secrets[0]] ?? clients[client].rotatedAt
            if now - max(used, clients[client].rotatedAt) >= 7 * Span.day {
                clients[client].secrets.removeFirst()
                record("client_secret_retired", client: client)
            }
        }
    }
}
