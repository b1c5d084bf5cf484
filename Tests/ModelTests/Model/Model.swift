/// What is right, as the shortest exact description of the program: plain values, and functions that take one step.
///
/// Times are milliseconds since the history began. Things are named by their place in a list. Each rule cites the document that
/// has it.
struct Model: Sendable {
    var now = 0
    var accounts: [Account] = [], invitations: [Invitation] = []
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
    /// What is right of a feature that is added to the program.
    var added: (@Sendable (inout Model, AddedStep) -> String)?
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
        /// Its session, the one before, and its last one with a sign-in.
        var session: Int? {
            didSet { if let oldValue, oldValue != session { earlier = oldValue } }
        }
        var earlier, signedIn: Int?
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
        /// Whether a browser of the network of all asked for it on the sign-in page.
        var isOfNetwork = true
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

    struct Notice: Sendable {
        var account, at: Int
        var isLast = false, isSignIn = false
    }

    struct Client: Sendable {
        /// Nil: everyone.
        var groups: Set<Int>?
        var isStored: Bool
        /// `require: phr`.
        var isStrict = false
        var isEnabled = true, isDown = false
        /// Whether messages about sign-outs go to it.
        var takesMessages = true
        /// Whether each node has it in the list that it has read.
        var isRegistered = [true, true]
        /// Which secrets sign, by number; the newest last, and the last one that was ever made.
        var secrets = [0], last = 0
        var rotatedAt = 0
        /// When each secret was used, as the nodes have noted it together and alone.
        var used: [Int: Int] = [:], noted: [[Int]: Int] = [:]
    }
}

extension Array {
    /// Sets a property of all elements that are meant.
    mutating func mark(_ property: WritableKeyPath<Element, Bool>, where isMeant: (Element) -> Bool = { _ in true }) {
        for index in indices where isMeant(self[index]) { self[index][keyPath: property] = true }
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
