/// How histories name what was issued: by small numbers.
extension Model {
    /// Counted back from the newest of a list.
    static func newest(_ back: Int, of count: Int) -> Int? { count == 0 ? nil : count - 1 - back % count }

    /// The session of an answer, by its place among those that were told.
    mutating func words(_ signIn: Int, _ grant: Grant) -> String {
        let it = signIns[signIn]
        if !told.contains(where: { $0.client == it.client && $0.session == it.told }) {
            told.append((it.client, it.told, it.account))
        }
        return "account \(it.account) session \(name(of: it.told)) since \(grant.at / 1000)"
            + (grant.isStrong ? " phr" : "")
    }

    func name(of session: Int) -> Int {
        var seen: [Int] = []
        for it in told where !seen.contains(it.session) { seen.append(it.session) }
        return seen.firstIndex(of: session) ?? -1
    }
}
