/// The bytes that one connection holds in memory: of requests that are not answered yet, and of answers that its client
/// has not taken.
///
/// Counted as they are on the wire, and reported to ``ConnectionPlaces``. Shared by the handlers of one connection, on
/// the event loop of that connection.
final class HeldBytes {
    /// What a connection may hold without being counted. A form of a browser and a request to verify are smaller, head
    /// included.
    static let allowance = 4 * 1024

    /// What a request costs in memory from its head on, beside its bytes: the program has begun to answer it.
    private static let requestCost = 32 * 1024
    /// What each byte of a head beyond ``allowance`` counts. It is held in the buffer of the parser, and twice as texts.
    private static let headFactor = 3
    /// How far a client may send ahead while a whole request of it is not answered.
    private static let maximumAhead = 16 * 1024

    private let places: ConnectionPlaces
    /// What each whole request counts that is not answered, oldest first.
    private var requests: [Int] = []
    private var requestBytes = 0
    /// The bytes that have come since the last whole request.
    private var arriving = 0
    /// The bytes of the head, once it has come.
    private var head: Int?
    /// Whether a request was still incomplete at the end of a read. One that comes in one piece costs nothing here.
    private var isIncomplete = false
    /// What was reported last.
    private var reported = 0

    /// The number of the connection while it has a place.
    var number: Int?
    /// The buffer of the connection's last read, where it is larger than usual.
    var readBuffer = 0 {
        didSet { report() }
    }
    /// Whether the head of a request has come, and neither its end nor an answer to it.
    private var hasBegun: Bool { head != nil }
    /// Whether the connection has lost its place and is closing.
    var isLost = false
    /// The bytes of answers that the system has not accepted.
    var unsent = 0 {
        didSet { if unsent != oldValue { report() } }
    }

    /// Whether the client does not wait for the answer before it sends much more. What is being answered is never closed
    /// for room, so it must not grow.
    var isFarAhead: Bool { !requests.isEmpty && arriving > Self.maximumAhead }

    init(_ places: ConnectionPlaces) { self.places = places }

    /// Counts bytes that have come.
    ///
    /// - Returns: false when the connection is closing. The bytes must not be used then.
    func arrive(_ count: Int) -> Bool {
        guard !isLost else { return false }
        arriving += count
        report()
        return !isLost
    }

    /// A read is over, and what came was parsed.
    func endRead() {
        guard hasBegun != isIncomplete, !isLost else { return }
        isIncomplete = hasBegun
        report()
    }

    /// The head of a request has come. What follows is its body.
    func headArrived() { head = arriving }

    /// A request is whole. Its bytes are held until it is answered.
    func requestArrived() {
        let count = counted
        requests.append(count)
        requestBytes += count
        (arriving, head) = (0, nil)
    }

    /// The oldest request was answered. One that is not whole is not read any further.
    func requestAnswered() {
        if requests.isEmpty {
            (arriving, head, isIncomplete) = (0, nil, false)
        } else {
            requestBytes -= requests.removeFirst()
        }
        report()
    }

    /// Bytes that have come were not kept.
    func discard() {
        arriving = 0
        report()
    }

    /// What the bytes count that have come since the last whole request.
    private var counted: Int { arriving + (Self.headFactor - 1) * max(0, (head ?? arriving) - Self.allowance) }

    private func report() {
        let beyond = max(0, requestBytes + counted + unsent + readBuffer - Self.allowance)
        let bytes = beyond + (isIncomplete ? Self.requestCost : 0)
        guard let number, bytes != reported else { return }
        reported = bytes
        if !places.hold(number, bytes: bytes, isUntaken: unsent > 0) { isLost = true }
    }
}
