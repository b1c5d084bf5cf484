/// What is right, as the shortest exact description of the program: plain values, and functions that take one step.
///
/// Times are milliseconds since the history began. Things are named by their place in a list. Each rule cites the document that
/// has it.
struct Model: Sendable {
    var now = 0
    var accounts: [Account] = [], passkeys: [Passkey] = [], links: [Link] = [], invitations: [Invitation] = []
    var sessions: [Session] = [], flows: [Flow] = [], challenges: [Challenge] = [], guesses: [Guess] = []
    var grants: [Grant] = [], signIns: [ClientSignIn] = [], tokens: [Token] = [], messages: [Message] = []
    var emails: [Email] = [], notices: [Notice] = []
    /// Known browsers by their number: the address, and the end.
    var known: [(address: Int, endsAt: Int)?] = []
    var clients = [
        Client(groups: nil, isStored: false), Client(groups: [0], isStored: false), Client(groups: nil, isStored: true),
        Client(groups: nil, isStored: true),
    ]
    var browsers = Array(repeating: Browser(), count: Cast.browsers)
    /// Whether `IDP_ALLOWED_EMAILS` names the third address no more.
    var isNarrowed = false
    /// Whether the file on the disk has dropped the first client: in force with the next reading of it.
    var fileDrops = false
    /// The node that answers, and which of them run.
    var node = 0, runs = [true, false]
    /// When the last try at a client has failed, as each node knows it.
    var fails: [[Int: Int]] = [[:], [:]]
    /// Until when each node does not look for sign-ins at clients that are over.
    var rests = [0, 0]
    /// Whether the database is a file, which `idp backup` copies, and the database as the backup has it; empty without one.
    var hasBackups = true, backup: [Model] = []
    /// The sessions that clients were told, in the order of the first time.
    var told: [(client: Int, session: Int, account: Int)] = []
    /// What is right of features that are added to the program.
    var added: (@Sendable (inout Model, AddedStep) -> String)?
    /// What the step has caused, to compare.
    var sent: [String] = [], received: [String] = [], recorded: [String] = []

    struct Account: Sendable {
        var address: Int
        var isDisabled = false, isAdded = false, isErased = false
        /// Whether somebody has signed in to it, ever; and whether its owner has proven the address.
        var hasBegun = false, hasMailbox = false
        /// How often all sign-ins were ended at once.
        var signOuts = 0
        /// The end date, the one whose end was carried out, and when the account is erased.
        var endsAt, endedFor, eraseAt: Int?
        var groups: Set<Int> = []
    }

    struct SignIn: Sendable {
        var account, at, signOuts: Int
        /// By a passkey: `phr`.
        var isStrong = false
    }

    struct Session: Sendable {
        var createdAt, seenAt: Int
        var isRemembered = false, isGone = false
        var signIn: SignIn?
        /// The challenge for each address that was asked for here, the current one last.
        var held: [(address: Int, challenge: Int, emailAt: Int?)] = []
        var flows: [Int] = []
        /// What added features keep in it.
        var added: [String: Int] = [:]
    }

    struct Browser: Sendable {
        /// Its session, and its last one with a sign-in.
        var session, signedIn: Int?
        /// The flow of the client that it was sent to sign in for.
        var flow: Int?
        /// Whether it has a form of a sign-in open.
        var hasForm = false
        /// The address that it asked for last.
        var asked: Int?
        /// By address: the challenge whose code came in an email that it asked for, and under which number it is known.
        var codes: [Int: Int] = [:], known: [Int: Int] = [:]
    }

    struct Challenge: Sendable {
        var address: Int
        var isEligible: Bool
        var tries = 0, isUsed = false, isDeleted = false
        var expiresAt: Int
        var emailAt, known: Int?
        /// Of the newest request for it.
        var flow: Int?
    }

    struct Flow: Sendable {
        var client, begunAt: Int
        var since: Int?
        var isStrong = false, isEnded = false
    }

    struct Grant: Sendable {
        var client, account, session, signOuts, at, issuedAt: Int
        var isStrong = false, isUsed = false, isVoid = false, isDeleted = false
        /// The tokens that go back to it.
        var family: Int?
    }

    /// What a client was told of a session (docs/protocol.md 7).
    struct ClientSignIn: Sendable {
        var client, session, told, account: Int
        var beginnings = 0
        var endedAt: Int?
        var reason = ""
        /// 90 days after its end nobody knows it any more.
        var isDeleted = false
        var isOpen: Bool { !isDeleted && (endedAt == nil || reason == "expired") }
    }

    struct Message: Sendable {
        var client, account: Int
        /// Nil for all of the user.
        var told: Int?
        var createdAt: Int
        var tries = 0
        var nextAt: Int
        var isSettled = false, isDelivered = false
        /// Its client takes none, or has gone.
        var isDropped = false
        var settledAt = 0
    }

    struct Token: Sendable {
        var isRefresh: Bool
        var family, client, account, signIn, beginnings, createdAt, expiresAt: Int
        var familyEndsAt = 0, isStrong = false
        var usedAt, successor: Int?
        var isEnded = false
        /// Nobody knows it: the answer was lost.
        var isLost = false
    }

    struct Email: Sendable {
        var address: Int
        var kind: String
        var known: Int?
        var at, expiresAt: Int
        var isDecoy = false
        /// The one whose code it carries.
        var challenge: Int?
        var isTaken = false
    }

    struct Guess: Sendable {
        var address: Int
        var known: Int?
        var at: Int
    }

    struct Invitation: Sendable {
        var account, endsAt: Int
        var isEnded = false
    }

    struct Passkey: Sendable {
        var account: Int
        /// Whether its key never leaves its device.
        var isHardware: Bool
        /// The counter of its device, and as it was seen last.
        var counted = 0, seen = 0
        var hasAnswered = false, isRemoved = false
    }

    /// One that an operator has printed.
    struct Link: Sendable {
        var account, endsAt: Int
        var isEnded = false, isUsed = false
    }

    struct Notice: Sendable {
        var account, at: Int
        var isLast = false
    }

    struct Client: Sendable {
        /// Nil: everyone.
        var groups: Set<Int>?
        var isStored: Bool
        /// `require: phr`.
        var isStrict = false
        var isEnabled = true, isDown = false
        /// Whether each node has it in the list that it has read.
        var isRegistered = [true, true]
        /// Which secrets sign, by number; the newest last, and the last one that was ever made.
        var secrets = [0], last = 0
        var rotatedAt = 0
        /// When each secret was used, as the nodes have noted it together and alone.
        var used: [Int: Int] = [:], noted: [[Int]: Int] = [:]
    }
}

/// Durations of the documents, in milliseconds.
enum Span {
    static let second = 1000, minute = 60 * second, hour = 60 * minute, day = 24 * hour
    static let session = 12 * hour, idle = 2 * hour, remembered = 30 * day
    static let code = 10 * minute, flow = 10 * minute, printedLink = 10 * minute, invitation = 7 * day
    static let token = 5 * minute, oidcCode = minute, access = 10 * minute, refresh = 30 * day, family = 90 * day
    static let knownBrowser = 180 * day, told = 90 * day, skew = 2 * minute
}

// MARK: - Who is what

extension Model {
    /// The account of an address that is not erased.
    func account(of address: Int) -> Int? { accounts.firstIndex { !$0.isErased && $0.address == address } }

    func isNamed(_ address: Int) -> Bool {
        let name = Cast.addresses[address]
        return name.hasSuffix("@example.com") || (name.hasSuffix("@example.net") && !isNarrowed)
    }

    /// docs/threat-model.md, "Keeping users out": `IDP_ALLOWED_EMAILS` names the address or the account was added, it is not
    /// disabled, and its end date is not over.
    func mayBeUsed(_ address: Int, _ account: Account?) -> Bool {
        guard isNamed(address) || account?.isAdded == true else { return false }
        guard let account else { return true }
        return !account.isDisabled && account.eraseAt == nil && account.endsAt.map { $0 > now } ?? true
    }

    func maySignIn(_ account: Int) -> Bool {
        !accounts[account].isErased && mayBeUsed(accounts[account].address, accounts[account])
    }

    /// docs/operations.md, "How long does a session last?": 12 hours, 2 hours idle, or 30 days for a user who asked for it.
    func holds(_ session: Int) -> Bool {
        let it = sessions[session]
        guard !it.isGone, it.createdAt <= now + Span.skew else { return false }
        return it.isRemembered
            ? now < it.createdAt + Span.remembered
            : now < it.createdAt + Span.session && now < it.seenAt + Span.idle
    }

    /// The live session of a browser, which this request touches.
    mutating func use(_ browser: Int) -> Int? {
        guard let session = browsers[browser].session, holds(session) else { return nil }
        if now - sessions[session].seenAt >= Span.minute { sessions[session].seenAt = now }
        return session
    }

    /// The sign-in of a session, if neither has ended.
    func live(_ session: Int) -> SignIn? {
        guard holds(session), let user = sessions[session].signIn, accounts[user.account].signOuts == user.signOuts
        else {
            return nil
        }
        return user
    }

    func signIn(_ session: Int?) -> SignIn? { session.flatMap(live).flatMap { maySignIn($0.account) ? $0 : nil } }

    /// Whether a sign-in will do for a flow.
    func meets(_ flow: Int, _ user: SignIn) -> Bool {
        flows[flow].since.map { user.at >= $0 } ?? true && (user.isStrong || !flows[flow].isStrong)
    }

    func mayEnter(_ account: Int, _ client: Int) -> Bool {
        clients[client].groups.map { !$0.isDisjoint(with: accounts[account].groups) } ?? true
    }

    func isServed(_ client: Int) -> Bool { clients[client].isRegistered[node] && clients[client].isEnabled }

    mutating func begin(_ session: Session) -> Int {
        sessions.append(session)
        return sessions.count - 1
    }
}

// MARK: - The end of what hangs on a sign-in

extension Model {
    /// A row of the audit log, in the transaction of what it records.
    mutating func record(_ event: String, client: Int? = nil, account: Int? = nil, _ cause: String? = nil) {
        recorded.append(Outcome.row(event, client.map { Cast.clients[$0] }, account, cause))
    }

    enum Ended { case one(Int), all(Int), others(Int, keeping: Int?), atClient(Int, Int) }

    /// docs/protocol.md 7: the sign-ins at clients end, and each client is told: once of all sessions of a user, or of each one.
    /// With OpenID Connect each session is named. Nobody knows where to tell a client that was dropped.
    mutating func end(_ what: Ended, _ reason: String, byRestore: Bool = false) {
        var said: Set<[Int]> = []
        for index in signIns.indices {
            let it = signIns[index]
            guard !it.isDeleted else { continue }
            let isOpen = it.isOpen
            let (isMeant, isAll): (Bool, Bool) =
                switch what {
                case .one(let session): (it.session == session && it.endedAt == nil, false)
                case .all(let account): (it.account == account && isOpen, true)
                case .others(let account, let kept): (it.account == account && it.session != kept && isOpen, false)
                case .atClient(let client, let account):
                    (it.client == client && it.account == account && isOpen, true)
                }
            guard isMeant else { continue }
            signIns[index].endedAt = now
            signIns[index].reason = reason
            let isNamed = !isAll || it.client == Cast.openID
            guard said.insert([it.client, it.account, isNamed ? it.told : -1]).inserted,
                byRestore || clients[it.client].isRegistered[node]
            else { continue }
            record("sign_out_queued", client: it.client, account: it.account)
            messages.append(
                Message(
                    client: it.client, account: it.account, told: isNamed ? it.told : nil, createdAt: now, nextAt: now))
        }
    }

    /// An email about a change of how a user signs in. After 20 in a day those that take something away are told once more.
    mutating func notify(_ account: Int, isAlwaysTold: Bool = false) {
        let ofDay = notices.filter { $0.account == account && $0.at > now - Span.day }
        let isLast = !isAlwaysTold && ofDay.count >= 20
        if isLast, ofDay.contains(where: \.isLast) { return }
        notices.append(Notice(account: account, at: now, isLast: isLast))
        sent.append("\(accounts[account].address): notice")
    }

    /// Whatever ends all sign-ins of an account ends the browsers' sessions, the grants, and what clients have.
    mutating func endAll(of account: Int, _ reason: String) {
        accounts[account].signOuts += 1
        // A stolen known browser loses its own budgets.
        forgetBrowsers(accounts[account].address)
        end(.all(account), reason)
    }

    mutating func forgetBrowsers(_ address: Int) {
        for index in known.indices where known[index]?.address == address { known[index] = nil }
    }

    /// The grants of a client that ends (docs/decisions/0094).
    mutating func voidGrants(of client: Int) {
        for index in grants.indices where grants[index].client == client && !grants[index].isUsed {
            grants[index].isVoid = true
        }
    }

    /// A client that is disabled or dropped loses what it was issued.
    mutating func endClient(_ client: Int) {
        voidGrants(of: client)
        loseAccess(at: client) { _ in false }
    }

    /// Those who have lost access are signed out there (docs/threat-model.md, "Who may enter a client").
    mutating func loseAccess(at client: Int, admits: (Int) -> Bool) {
        let accounts = Set(
            signIns.filter { $0.client == client && $0.isOpen }.map(\.account))
        for account in accounts.sorted() where !admits(account) { end(.atClient(client, account), "no_access") }
    }
}
