/// Which emails an address gets.
extension Model {
    /// docs/limits.md: one email in a minute, 5 in an hour, 10 in a day to one address, and the same again for each known
    /// browser. A network that has asked before gets 3 in an hour and 6 in a day of what unknown browsers share.
    ///
    /// - Returns: when the next one may leave; nil for now.
    func nextEmail(_ address: Int, _ known: Int?, isReturning: Bool = true) -> Int? {
        let before = emails.filter {
            $0.address == address && $0.kind == "code" && $0.known == known && $0.at > now - Span.day
                && $0.at <= now + Span.code + Span.day
        }
        let isShared = known == nil && isReturning && before.contains(where: \.isOfNetwork)
        let limits = [(1, Span.minute), (isShared ? 3 : 5, Span.hour), (isShared ? 6 : 10, Span.day)]
        let earlier = before.map(\.at).sorted(by: >)
        return limits.compactMap { count, span in earlier.dropFirst(count - 1).first.map { $0 + span } }
            .filter { $0 > now }.max()
    }

    /// One challenge waits in a session for each address. An email that has to wait leaves later, once, if its code is good then.
    mutating func queueCode(_ browser: Int, _ address: Int, in session: Int, _ flow: Int?) {
        let known = known(browser, address)
        let isEligible = mayBeUsed(address)
        let held = sessions[session].held.first { $0.address == address }
        let waiting = held.map(\.challenge).flatMap {
            challenges[$0].isEligible == isEligible && challenges[$0].waits(at: now) ? $0 : nil
        }
        let expiresAt = waiting.map { challenges[$0].expiresAt } ?? now + Span.code
        let earlier = waiting == nil ? nil : held?.emailAt
        let next = nextEmail(address, known) ?? now
        let leavesAt = next == now || earlier == nil && next < expiresAt ? next : nil
        let challenge =
            waiting ?? challenges.add(Challenge(address: address, isEligible: isEligible, expiresAt: expiresAt))
        if let known { challenges[challenge].known = known }
        challenges[challenge].flow = flow
        if let leavesAt {
            emails.append(
                Email(
                    address: address, kind: "code", at: leavesAt, expiresAt: expiresAt, known: known,
                    isDecoy: !isEligible, challenge: challenge))
            challenges[challenge].emailAt = challenges[challenge].emailAt ?? leavesAt
            if leavesAt == now, isEligible { browsers[browser].codes[address] = challenge }
        }
        queueBrowserLink(address, known, isEligible)
        sessions[session].held.removeAll { $0.address == address }
        sessions[session].held.append((address, challenge, leavesAt ?? earlier))
        sessions[session].held = sessions[session].held.suffix(5)
    }

    /// docs/decisions/0084: an address that unknown browsers ask for often gets a link that makes a browser known, once in six
    /// hours.
    private mutating func queueBrowserLink(_ address: Int, _ known: Int?, _ isEligible: Bool) {
        let before = emails.filter { $0.address == address && $0.known == nil }
        let ofDay = before.count { $0.kind == "code" && $0.at > now - Span.day }
        let hasOne = before.contains {
            $0.kind == "browser link" && $0.isDecoy == !isEligible && $0.at > now - 6 * Span.hour
        }
        guard known == nil, ofDay >= 3, !hasOne else { return }
        emails.append(
            Email(
                address: address, kind: "browser link", at: now, expiresAt: now + Span.code, isDecoy: !isEligible))
    }

    /// What is due leaves, unless its code is no use any more.
    mutating func sendEmails() {
        for (index, it) in emails.enumerated() where it.at <= now && !it.isTaken {
            emails[index].isTaken = true
            let isUsed = it.challenge.map { challenges[$0].isUsed } ?? false
            if !it.isDecoy, it.expiresAt > now, !isUsed { sent.append("\(it.address): \(it.kind)") }
        }
    }

    /// An email about a change of how a user signs in. After 20 in a day those that take something away are told once more.
    mutating func notify(_ account: Int, isAlwaysTold: Bool = false) {
        let ofDay = notices.filter { $0.account == account && !$0.isSignIn && $0.at > now - Span.day }
        let isLast = !isAlwaysTold && ofDay.count >= 20
        if isLast, ofDay.contains(where: \.isLast) { return }
        notices.append(Notice(account: account, at: now, isLast: isLast))
        sent.append("\(accounts[account].address): notice")
    }
}
