/// What is right, as the shortest exact description of the program: plain values, and functions that take one step.
///
/// Times are milliseconds since the history began. Things are named by their place in a list. Each rule cites the document that
/// has it.
struct Model: Sendable {
    var now = 0
    var accounts: [Account] = [], sessions: [Session] = [], flows: [Flow] = [], challenges: [Challenge] = []
    var guesses: [(address: Int, known: Int?, at: Int)] = [], emails: [Email] = [], notices: [Notice] = []
    var grants: [Grant] = [], signIns: [ClientSignIn] = [], tokens: [Token] = [], messages: [Message] = []
    /// Known browsers by their number: the address, and the end.
    var known: [(address: Int, endsAt: Int)?] = []
    var clients = [Client(), Client(groups: [0]), Client(), Client()]
    var browsers = Array(repeating: Browser(), count: Cast.browsers)
    /// Whether `IDP_ALLOWED_EMAILS` names the third address no more.
    var isNarrowed = false
    /// Whether the file on the disk has dropped the first client: in force with the next reading of it.
    var fileDrops = false
    /// The processes on the database, and the one that answers.
    var nodes = [Node(runs: true), Node()], node = 0
    /// The database as the last backup has it; empty without one.
    var backup: [Model] = []
    /// What the history keeps beside it, in Histories/.
    var history = HistoryNotes()
    // What further features keep, each with its rules in Added/.
    var passkeys: [Passkey] = [], links: [Link] = [], addressChanges: [AddressChange] = [], admins = Admins()
    var gates: [Int: [GateSession]] = [:], appKeys: [AppKey] = []
    /// What the step has caused, to compare.
    var sent: [String] = [], received: [String] = [], recorded: [String] = []

    struct Account: Sendable {
        var address: Int
        var isDisabled = false, isAdded = false, isErased = false
        /// Whether somebody has signed in to it, ever; and whether its owner has proven the address.
        var hasBegun = false, hasMailbox = false
        /// How often all sign-ins were ended at once.
        var signOuts = 0
        /// The end date, the one whose end was carried out, when the account is erased, and how long it is invited.
        var endsAt, endedFor, eraseAt, invitedUntil: Int?
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

        /// docs/operations.md, "How long does a session last?": 12 hours, 2 hours idle, or 30 days for a user who asked for it.
        func holds(at now: Int) -> Bool {
            guard !isGone, createdAt <= now + Span.skew else { return false }
            return isRemembered
                ? now < createdAt + Span.remembered : now < createdAt + Span.session && now < seenAt + Span.idle
        }
    }

    struct Browser: Sendable {
        /// Its session, the one before, and its last one with a sign-in.
        var session: Int? {
            didSet { if let oldValue, oldValue != session { earlier = oldValue } }
        }
        var earlier, signedIn: Int?
        /// The flow of the client that it was sent to sign in for.
        var flow: Int?
        /// Whether it has a form of a sign-in open, and the address that it asked for last.
        var hasForm = false, asked: Int?
        /// By address: the challenge whose code came in an email that it asked for, and under which number it is known.
        var codes: [Int: Int] = [:], known: [Int: Int] = [:]
    }

    struct Flow: Sendable {
        var client, begunAt: Int
        /// The moment since which its user must have signed in.
        var since: Int?
        var isStrong = false, isEnded = false
        var isOpenID: Bool { client == Cast.openID }
    }

    struct Challenge: Sendable {
        var address: Int, isEligible: Bool, expiresAt: Int
        var tries = 0, isUsed = false, isDeleted = false
        var emailAt, known: Int?
        /// Of the newest request for it.
        var flow: Int?

        /// Five wrong codes end it.
        func waits(at now: Int) -> Bool { !isUsed && !isDeleted && now < expiresAt && tries < 5 }
    }

    struct Email: Sendable {
        var address: Int, kind: String, at, expiresAt: Int
        var known: Int?
        var isDecoy = false
        /// The one whose code it carries.
        var challenge: Int?
        /// Whether a browser of the network of all asked for it on the sign-in page.
        var isOfNetwork = true
        var isTaken = false
    }

    struct Notice: Sendable {
        var account, at: Int
        var isLast = false, isSignIn = false
    }

    struct Client: Sendable {
        /// Nil: everyone.
        var groups: Set<Int>?
        /// `require: phr`.
        var isStrict = false
        var isEnabled = true, isDown = false
        /// Whether messages about sign-outs go to it.
        var takesMessages = true
        /// Which secrets sign, by number; the newest last, and the last one that was ever made.
        var secrets = [0], last = 0
        /// When the newest was made, and when each was used.
        var rotatedAt = 0, used: [Int: Int] = [:]
    }

    struct Grant: Sendable {
        var client, account, session, signOuts, at, issuedAt: Int
        var isStrong = false, isUsed = false, isVoid = false, isDeleted = false
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

    /// What tokens go back to, and hang on.
    struct Family: Sendable {
        let grant, signIn, beginnings, endsAt: Int, isStrong: Bool
    }

    struct Token: Sendable {
        var family: Family, isRefresh: Bool, createdAt, expiresAt: Int
        var usedAt, successor: Int?
        var isEnded = false
    }

    struct Message: Sendable {
        var client, account: Int
        /// Nil for all of the user.
        var told: Int?
        var createdAt, nextAt: Int
        var tries = 0, settledAt = 0
        var isSettled = false, isDelivered = false
        /// Its client takes none, or has gone.
        var isDropped = false
    }

    /// What a process has in memory.
    struct Node: Sendable {
        var runs = false
        /// Whether the file that it has read has dropped the first client.
        var drops = false
        /// When the last try at a client has failed, until when it does not look for sign-ins at clients that are over, and
        /// of which secret of a client it has noted a use last.
        var fails: [Int: Int] = [:], rest = 0, noted: [Int: (secret: Int, at: Int)] = [:]
    }
}

extension Array {
    /// Sets a property of all elements that are meant.
    mutating func mark(_ property: WritableKeyPath<Element, Bool>, where isMeant: (Element) -> Bool = { _ in true }) {
        for index in indices where isMeant(self[index]) { self[index][keyPath: property] = true }
    }

    /// Appends an element, and returns its place.
    mutating func add(_ element: Element) -> Int {
        append(element)
        return count - 1
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
