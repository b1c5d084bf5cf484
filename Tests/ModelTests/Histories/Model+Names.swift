/// What a history keeps beside the model.
struct HistoryNotes: Sendable {
    /// The sessions that clients were told, in the order of the first time.
    var told: [(client: Int, session: Int, account: Int)] = []
    /// Tokens that nobody knows: the answer was lost.
    var lost: Set<Int> = []
    /// Whether the database is a file, which `idp backup` copies.
    var hasBackups = true
    /// What is right of a feature that is added to the program.
    var added: (@Sendable (inout Model, AddedStep) -> String)?
}

/// How histories name what was issued: by small numbers.
extension Model {
    /// Counted back from the newest of a list.
    static func newest(_ back: Int, of count: Int) -> Int? { count == 0 ? nil : count - 1 - back % count }

    /// A text that is not of the client protocol is refused by its form.
    func grant(_ back: Int, isOpenID: Bool) -> Int? {
        Self.newest(back, of: grants.count).flatMap { (grants[$0].client == Cast.openID) == isOpenID ? $0 : nil }
    }

    /// - Parameter isRefresh: nil for tokens of both kinds.
    func token(_ back: Int, isRefresh: Bool? = nil) -> Int? {
        let all = tokens.indices.filter {
            (isRefresh ?? tokens[$0].isRefresh) == tokens[$0].isRefresh && !history.lost.contains($0)
        }
        return Self.newest(back, of: all.count).map { all[$0] }
    }

    /// The number of the secret that a client shows: none has -1.
    func secret(of client: Int, _ how: Operation.Presentation) -> Int {
        let newest = clients[client].secrets.last ?? -1
        return switch how {
        case .right, .wrongAddress: newest
        case .wrongSecret: -1
        case .formerSecret: newest - 1
        }
    }

    /// The session of an answer, by its place among those that were told.
    mutating func words(_ signIn: Int, _ grant: Grant) -> String {
        let it = signIns[signIn]
        if !history.told.contains(where: { $0.client == it.client && $0.session == it.told }) {
            history.told.append((it.client, it.told, it.account))
        }
        return "account \(it.account) session \(name(of: it.told)) since \(grant.at / 1000)"
            + (grant.isStrong ? " phr" : "")
    }

    func name(of session: Int) -> Int {
        var seen: [Int] = []
        for it in history.told where !seen.contains(it.session) { seen.append(it.session) }
        return seen.firstIndex(of: session) ?? -1
    }
}
