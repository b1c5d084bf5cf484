/// What is right, as the shortest exact description of the program: plain values, and functions that take one step.
///
/// Times are milliseconds since the history began. Things are named by their place in a list. Each rule cites where it is
/// written: `C` docs/protocol.md and the other documents of the wire, `T` docs/threat-model.md, `D` a decision.
struct Model: Sendable {
    var now = 0
    var accounts: [Account] = []
    var sessions: [Session] = []
    var challenges: [Challenge] = []
    var grants: [Grant] = []
    var signIns: [ClientSignIn] = []
    var messages: [Message] = []
    var tokens: [Token] = []
    var flows: [Flow] = []
    var emails: [Email] = []
    var guesses: [Guess] = []
    var invitations: [Invitation] = []
    var passkeys: [Passkey] = []
    var links: [Link] = []
    var notices: [Notice] = []
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
    /// When the last try at a client has failed, as each node knows it.
    var fails: [[Int: Int]] = [[:], [:]]
    /// The node that answers.
    var node = 0
    /// Until when each node does not look for sign-ins at clients that are over.
    var rests = [0, 0]
    var runs = [true, false]
    /// Whether the database is a file, which `idp backup` copies.
    var hasBackups = true
    /// The database as the backup has it; empty without one.
    var backup: [Model] = []

    /// The sessions that clients were told, in the order of the first time.
    var told: [(client: Int, session: Int, account: Int)] = []
    /// What the step has caused, to compare.
    var sent: [String] = []
    var received: [String] = []
    var recorded: [String] = []

    struct Account: Sendable {
        var address: Int
        var isDisabled = false
        /// How often all sign-ins were ended at once.
        var signOuts = 0
        var isAdded = false
        /// Whether somebody has signed in to it, ever.
        var hasBegun = false
        /// Whether its owner has proven the address.
        var hasMailbox = false
        var endsAt: Int?
        /// The end date whose end was carried out.
        var endedFor, eraseAt: Int?
        var groups: Set<Int> = []
        var isErased = false
    }

    struct SignIn: Sendable {
        var account, at, signOuts: Int
        /// By a passkey: `phr`.
        var isStrong = false
    }

    struct Session: Sendable {
        var createdAt, seenAt: Int
        var isRemembered = false
        var isGone = false
        var signIn: SignIn?
        /// The challenge for each address that was asked for here, the current one last.
        var held: [(address: Int, challenge: Int, emailAt: Int?)] = []
        var flows: [Int] = []
    }

    struct Browser: Sendable {
        var session: Int?
        /// Its last session with a sign-in.
        var signedIn: Int?
        /// The flow of the client that it was sent to sign in for.
        var flow: Int?
        /// Whether it has a form of a sign-in open.
        var hasForm = false
        /// The address that it asked for last.
        var asked: Int?
        /// The challenge whose code came in an email that it asked for, by address.
        var codes: [Int: Int] = [:]
        /// Under which number it is known, by address.
        var known: [Int: Int] = [:]
    }

    struct Challenge: Sendable {
        var address: Int
        var isEligible: Bool
        var tries = 0
        var isUsed = false
        var isDeleted = false
        var expiresAt: Int
        var emailAt, known: Int?
        /// Of the newest request for it.
        var flow: Int?
    }

    struct Flow: Sendable {
        var client, begunAt: Int
        var since: Int?
        var isStrong = false
        var isEnded = false
    }

    struct Grant: Sendable {
        var client, account, session, signOuts, at, issuedAt: Int
        var isStrong = false
        var isUsed = false
        var isVoid = false
        var isDeleted = false
        /// The tokens that go back to it.
        var family: Int?
    }

    /// What a client was told of a session (C section 8).
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
        var isSettled = false
        var isDelivered = false
        /// Its client takes none, or has gone.
        var isDropped = false
        var settledAt = 0
    }

    struct Token: Sendable {
        var isRefresh: Bool
        var family, client, account, signIn, beginnings, createdAt, expiresAt: Int
        var familyEndsAt = 0
        var isStrong = false
        var usedAt: Int?
        var isEnded = false
        /// Nobody knows it: the answer was lost.
        var isLost = false
        var successor: Int?
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
        var counted = 0
        var seen = 0
        var hasAnswered = false
        var isRemoved = false
    }

    /// One that an operator has printed.
    struct Link: Sendable {
        var account, endsAt: Int
        var isEnded = false
        var isUsed = false
    }

    struct Notice: Sendable {
        var account, at: Int
        var isLast = false
    }

    struct Client: Sendable {
        /// Nil: everyone.
        var groups: Set<Int>?
        /// `require: phr`.
        var isStrict = false
        var isStored: Bool
        var isEnabled = true
        /// Whether each node has it in the list that it has read.
        var isRegistered = [true, true]
        var isDown = false
        /// Which secrets sign, by number; the newest last.
        var secrets = [0]
        var rotatedAt = 0
        var used: [Int: Int] = [:]
        /// When each node has noted the use of a secret.
        var noted: [[Int]: Int] = [:]
        var last = 0
    }
}

/// Durations of the documents, in milliseconds.
enum Span {
    static let second = 1000
    static let minute = 60 * second
    static let hour = 60 * minute
    static let day = 24 * hour
    static let session = 12 * hour
    static let idle = 2 * hour
    static let remembered = 30 * day
    static let code = 10 * minute
    static let flow = 10 * minute
    static let token = 5 * minute
    static let oidcCode = minute
    static let access = 10 * minute
    static let refresh = 30 * day
    static let family = 90 * day
    static let knownBrowser = 180 * day
    static let invitation = 7 * day
    static let told = 90 * day
    static let skew = 2 * minute
}

// MARK: - Who is what

extension Model {
    /// The account of an address that is not erased.
    func account(of address: Int) -> Int? { accounts.firstIndex { !$0.isErased && $0.address == address } }

    func isNamed(_ address: Int) -> Bool {
        let name = Cast.addresses[address]
        return name.hasSuffix("@example.com") || (name.hasSuffix("@example.net") && !isNarrowed)
    }

    /// C 9: "An account may sign in if `IDP_ALLOWED_EMAILS` names its address or it was added, it is not disabled, and its end
    /// date is not over."
    func mayBeUsed(_ address: Int, _ account: Account?) -> Bool {
        guard isNamed(address) || account?.isAdded == true else { return false }
        guard let account else { return true }
        return !account.isDisabled && account.eraseAt == nil && account.endsAt.map { $0 > now } ?? true
    }

    func maySignIn(_ account: Int) -> Bool {
        !accounts[account].isErased && mayBeUsed(accounts[account].address, accounts[account])
    }

    /// C 7 and 2: 12 hours, 2 hours idle, or 30 days for a user who asked for it.
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

    func signIn(_ session: Int?) -> SignIn? {
        guard let session, holds(session), let signIn = sessions[session].signIn, maySignIn(signIn.account),
            accounts[signIn.account].signOuts == signIn.signOuts
        else { return nil }
        return signIn
    }

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

// MARK: - What is kept of it

extension Model {
    /// A row of the audit log, in the transaction of what it records.
    mutating func record(_ event: String, client: Int? = nil, account: Int? = nil, _ cause: String? = nil) {
        recorded.append(Outcome.row(event, client.map { Cast.clients[$0] }, account, cause))
    }
}

// MARK: - The end of what hangs on a sign-in

extension Model {
    enum Ended { case one(Int), all(Int), others(Int, keeping: Int?), atClient(Int, Int) }

    /// T 260, C 8: the sign-ins at clients end, and each client is told: once of all sessions of a user, or of each one. With
    /// OpenID Connect each session is named.
    mutating func end(_ what: Ended, _ reason: String) {
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
                clients[it.client].isRegistered[node]
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

    /// The grants of a client that ends (T 303).
    mutating func voidGrants(of client: Int) {
        for index in grants.indices where grants[index].client == client && !grants[index].isUsed {
            grants[index].isVoid = true
        }
    }

    /// Those who have lost access are signed out there (C 8: `no_access`).
    mutating func loseAccess(at client: Int, admits: (Int) -> Bool) {
        let accounts = Set(
            signIns.filter { $0.client == client && $0.isOpen }.map(\.account))
        for account in accounts.sorted() where !admits(account) { end(.atClient(client, account), "no_access") }
    }
}
