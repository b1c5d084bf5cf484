/// Which emails an address gets for a sign-in.
extension Model {
    /// docs/limits.md: one email in a minute, 5 in an hour, 10 in a day to one address, and the same again for each known
    /// browser. A network that has asked before gets 3 in an hour and 6 in a day of what unknown browsers share.
    func nextEmail(_ address: Int, _ known: Int?, isReturning: Bool = true) -> Int? {
        let before = emails.filter {
            $0.address == address && $0.kind == "code" && $0.known == known && $0.at > now - Span.day
                && $0.at <= now + Span.code + Span.day
        }
        let earlier = before.map(\.at).sorted(by: >)
        let rules =
            known == nil && isReturning && before.contains(where: \.isOfNetwork)
            ? [(1, Span.minute), (3, Span.hour), (6, Span.day)] : [(1, Span.minute), (5, Span.hour), (10, Span.day)]
        return rules.compactMap { count, span in
            guard earlier.count >= count, earlier[count - 1] + span > now else { return nil }
            return earlier[count - 1] + span
        }.max()
    }

    mutating func queueCode(_ browser: Int, _ address: Int, _ known: Int?, in session: Int, _ flow: Int?) {
        let account = account(of: address)
        let isEligible = mayBeUsed(address, account.map { accounts[$0] })
        let held = sessions[session].held.first { $0.address == address }
        let waiting = held.map(\.challenge).flatMap { id -> Int? in
            let it = challenges[id]
            return it.isEligible == isEligible && !it.isUsed && !it.isDeleted && it.expiresAt > now && it.tries < 5
                ? id : nil
        }
        let expiresAt = waiting.map { challenges[$0].expiresAt } ?? now + Span.code
        let earlier = waiting == nil ? nil : held?.emailAt
        var leavesAt: Int?
        if let allowed = nextEmail(address, known) {
            leavesAt = earlier == nil && allowed < expiresAt ? allowed : nil
        } else {
            leavesAt = now
        }
        let challenge = waiting ?? challenges.count
        if waiting == nil {
            challenges.append(Challenge(address: address, isEligible: isEligible, expiresAt: expiresAt, known: known))
        }
        if let known { challenges[challenge].known = known }
        challenges[challenge].flow = flow
        if let leavesAt {
            emails.append(
                Email(
                    address: address, kind: "code", known: known, at: leavesAt, expiresAt: expiresAt,
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
        let ofDay = emails.filter {
            $0.address == address && $0.kind == "code" && $0.known == nil && $0.at > now - Span.day
        }.count
        guard known == nil, ofDay >= 3 else { return }
        let hasOne = emails.contains {
            $0.address == address && $0.kind == "browser link" && $0.isDecoy == !isEligible
                && $0.at > now - 6 * Span.hour
        }
        guard !hasOne else { return }
        emails.append(
            Email(
                address: address, kind: "browser link", known: nil, at: now, expiresAt: now + Span.code,
                isDecoy: !isEligible))
    }
}
