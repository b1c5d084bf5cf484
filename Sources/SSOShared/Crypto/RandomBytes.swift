import COpenSSL

/// Bytes from libcrypto's generator, which is seeded by the kernel.
public enum RandomBytes {
    /// `count` unpredictable bytes.
    ///
    /// - Throws: ``RandomnessFault`` when the generator is not usable. There is no weaker source to fall back to.
    public static func generate(_ count: Int) throws(RandomnessFault) -> [UInt8] {
        guard count >= 0 else { throw RandomnessFault() }
        var bytes = [UInt8](repeating: 0, count: count)
        guard sso_random(&bytes, count) == 1 else { throw RandomnessFault() }
        return bytes
    }
}

/// The generator of random bytes is not usable.
public struct RandomnessFault: Error, CustomStringConvertible {
    public init() {}
    public var description: String { "the generator of random bytes is not usable" }
}

/// Where unpredictable bytes come from: one of the outside world's services, so that a test can stand in for it.
public protocol Randomness: Sendable {
    /// `count` unpredictable bytes; throws when there are none to be had.
    func bytes(_ count: Int) throws -> [UInt8]
}

/// The system's generator, ``RandomBytes``.
public struct SystemRandomness: Randomness {
    public init() {}
    /// So many fresh bytes; throws when the generator cannot be used, and never gives fewer.
    public func bytes(_ count: Int) throws -> [UInt8] { try RandomBytes.generate(count) }
}
