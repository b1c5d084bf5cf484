import SSOShared
import SSOWeb

/// The link that makes a browser known for an address. It signs nobody in.
///
/// It stands in emails that were sent to an address under pressure: a flood of requests that uses up the budgets of an
/// address thereby hands its owner the way around them.
struct DeviceLink: Sendable {
    static let path = "/sign-in/browser"
    /// Longer than the day that budgets count, so that the newest email always has a link that works.
    static let lifetime: Duration = .hours(48)

    /// What a link proves: its holder reads the mailbox of the address.
    struct Opened: Sendable {
        let address: LetterAddress
        /// One device for each email: opened in a second browser, the link moves the device there.
        let deviceID: String
    }

    private let box: SealedBox
    private let origin: PublicOrigin

    init(keys: DerivedKeys, origin: PublicOrigin, randomness: any Randomness) {
        box = SealedBox(keys: keys, label: "device-link", randomness: randomness)
        self.origin = origin
    }

    /// The whole address of the link for an email.
    func url(for challenge: Challenge, now: Timestamp) throws -> String {
        let expires = (now + Self.lifetime).milliseconds
        let device = SHA256.hash(Array("device:\(challenge.id)".utf8)).prefix(DeviceCookie.Claim.idBytes)
        let plain =
            (0..<8).map { UInt8(truncatingIfNeeded: expires >> ($0 * 8)) } + device + Array(challenge.address.utf8)
        return "\(origin.text)\(Self.path)?key=\(Base64URL.encode(try box.seal(plain)))"
    }

    /// What the key of a link proves, nil for one that was not made here or has expired.
    func open(_ key: String, now: Timestamp) -> Opened? {
        guard key.utf8.count <= 1024, let sealed = Base64URL.decode(key), let plain = box.open(sealed),
            plain.count > 8 + DeviceCookie.Claim.idBytes
        else { return nil }
        let expires = plain.prefix(8).enumerated().reduce(Int64(0)) { $0 | Int64($1.element) << ($1.offset * 8) }
        guard Timestamp(milliseconds: expires) > now,
            let text = String(validating: plain.dropFirst(8 + DeviceCookie.Claim.idBytes), as: UTF8.self),
            let address = try? LetterAddress(text)
        else { return nil }
        return Opened(
            address: address, deviceID: Base64URL.encode(Array(plain.dropFirst(8).prefix(DeviceCookie.Claim.idBytes))))
    }
}

/// Owns the rule which emails hold a ``DeviceLink``: those to an address that gets more than one user asks for, and all
/// while codes are guessed on many accounts. An ordinary email needs no such link.
struct DeviceInvitation: Sendable {
    /// So many emails within a day are no longer those of one user who signs in. As many as one network gets in an hour:
    /// nobody can use a budget up before the owner has a link.
    static let pressure = 3

    let link: DeviceLink
    let letters: LetterStore
    let guesses: EmailCodeStore
    let clock: ServiceClock

    /// The link for the email of a challenge, nil where it holds none.
    func url(for challenge: Challenge) async throws -> String? {
        guard let address = try? LetterAddress(challenge.address) else { return nil }
        let count = try await letters.countOfDay(for: address.budgetKey)
        let isAlarmed = try await guesses.isAlarmed()
        return count >= Self.pressure || isAlarmed ? try link.url(for: challenge, now: clock.now()) : nil
    }
}
