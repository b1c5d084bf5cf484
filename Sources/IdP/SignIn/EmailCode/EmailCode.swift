import SSOShared
import SSOWeb

/// Owns the rule of the six digits: how they are made, recognised and sent again.
///
/// A code is derived from the challenge's random id with a key that no database holds. So the same code can be sent
/// twice although only a keyed hash of it is stored, and neither the rows nor the queue of letters can be used by
/// whoever reads them.
struct EmailCode: Sendable {
    private let codeKeys: [[UInt8]]
    private let macKeys: [[UInt8]]

    init(keys: DerivedKeys) {
        codeKeys = keys.derive("email-code")
        macKeys = keys.derive("email-code-mac")
    }

    /// Six digits for a new challenge, `000000` to `999999`, each as likely as any other.
    func code(for challengeID: String) -> String { Self.digits(challengeID, key: codeKeys.first ?? []) }

    /// What is stored in the code's place.
    func mac(of code: String, challenge id: String) -> [UInt8] { Self.mac(code, id, key: macKeys.first ?? []) }

    /// The code of a challenge for its letter, also after the keys have been rotated; nil when its key is gone.
    func code(of challenge: Challenge) -> String? {
        codeKeys.lazy.map { Self.digits(challenge.id, key: $0) }.first { matches($0, challenge) }
    }

    /// Whether a typed code is the challenge's, in constant time.
    func matches(_ code: String, _ challenge: Challenge) -> Bool {
        macKeys.map { ConstantTime.equal(Self.mac(code, challenge.id, key: $0), challenge.codeMAC) }.contains(true)
    }

    /// What was typed, without blanks and dashes, if that is six ASCII digits. Anything else is no guess at all:
    /// Arabic digits, a sign, five or seven of them.
    static func normalised(_ typed: String) -> String? {
        guard typed.utf8.count <= 64 else { return nil }
        let kept = typed.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "\t") }
        guard kept.count == 6, kept.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return String(decoding: kept, as: UTF8.self)
    }

    private static func mac(_ code: String, _ id: String, key: [UInt8]) -> [UInt8] {
        HMACSHA256.code(for: Array("\(id):\(code)".utf8), key: key)
    }

    /// Takes 32 bits at a time and passes over those beyond the last whole million: no digit is likelier than another.
    private static func digits(_ id: String, key: [UInt8]) -> String {
        let bound = UInt32.max - UInt32.max % 1_000_000
        for round in 0..<64 {
            let block = HMACSHA256.code(for: Array("\(id):\(round)".utf8), key: key)
            for start in stride(from: 0, to: block.count - 3, by: 4) {
                let number = block[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                if number < bound { return String(String(number % 1_000_000 + 1_000_000).dropFirst()) }
            }
        }
        return ""  // 512 misses in a row: never happens, and fits no typed code if it does
    }
}
