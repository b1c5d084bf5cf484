import COpenSSL

/// Bytes from libcrypto's generator, which is seeded by the kernel.
public enum RandomBytes {
    /// `count` unpredictable bytes.
    ///
    /// - Throws: ``RandomnessError`` when the generator is not usable. There is no weaker fallback.
    public static func generate(_ count: Int) throws(RandomnessError) -> [UInt8] {
        guard count >= 0 else { throw RandomnessError() }
        var bytes = [UInt8](repeating: 0, count: count)
        guard sso_random(&bytes, count) == 1 else { throw RandomnessError() }
        return bytes
    }
}

/// The generator of random bytes is not usable.
public struct RandomnessError: Error, CustomStringConvertible {
    public init() {}
    public var description: String { "the generator of random bytes is not usable" }
}

/// A source of unpredictable bytes. Tests replace it.
public protocol Randomness: Sendable {
    /// `count` unpredictable bytes.
    func bytes(_ count: Int) throws -> [UInt8]
}

/// The system's generator, ``RandomBytes``.
public struct SystemRandomness: Randomness {
    public init() {}
    /// `count` fresh bytes, never fewer. Throws ``RandomnessError`` when the generator is not usable.
    public func bytes(_ count: Int) throws -> [UInt8] { try RandomBytes.generate(count) }
}
