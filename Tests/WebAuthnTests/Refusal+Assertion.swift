import JWT
import SSOShared
import WebAuthn

@testable import TestKit

extension Refusal {
    /// Signatures that are not the key's for these bytes.
    static let signatures: [Refusal] = [
        Refusal("the signature of another key", .signature, .assertion { $0.draft.key = try PrivateKey(new: .es256) }),
        Refusal(
            "the signature of a key of another type", .signature,
            .assertion { $0.draft.key = try PrivateKey(new: .eddsa) }),
        signature("one bit of the signature") { $0[$0.count - 1] ^= 1 },
        signature("a signature that is cut") { $0.removeLast() },
        signature("a byte after the signature") { $0.append(0) },
        signature("a signature of one byte") { $0 = [0] },
        signature("a signature of zeros") { $0 = [0x30, 6, 2, 1, 0, 2, 1, 0] },
        signature("a signature of two numbers without DER") { $0 = raw($0) },
        signature("a signature in BER") { $0 = [0x30, 0x81] + $0.dropFirst() },
        signature("zeros before the numbers") { $0 = padded($0) },
        signature("a very long signature") { $0 += [UInt8](repeating: 0, count: 20_000) },
        Refusal("other client data than signed", .signature, .assertionJSON { addMember(&$0) }),
        Refusal("another counter than signed", .signature, .assertionJSON { changeData(&$0, 36) { $0 | 0x80 } }),
        Refusal("BS changed after signing", .signature, .assertionJSON { changeData(&$0, 32) { $0 & ~0x10 } }),
        Refusal(
            "UV added after signing", .signature,
            .assertion { wrong in
                wrong.draft.data.flags &= ~4
                wrong.signature = try wrong.draft.passkey().response["signature"]
                wrong.draft.data.flags |= 4
            }),
    ]

    /// What the store has.
    static let storedValues: [Refusal] = [
        Refusal(
            "the handle of another account", .userHandleMismatch,
            .assertion { $0.draft.userHandle = [UInt8](repeating: 7, count: 32) }),
        Refusal("half of the handle", .userHandleMismatch, .assertion { $0.draft.userHandle?.removeLast(16) }),
        Refusal("no handle at the server", .userHandleMismatch, .assertion { $0.storedHandle = [] }),
        Refusal("another credential", .otherCredential, .assertion { $0.storedID = [1] }),
        Refusal("no stored key", .storedKey, .assertion { $0.storedKey = [] }),
        Refusal("a stored key with a byte after it", .storedKey, .assertion { $0.storedKey.append(0) }),
        Refusal("a stored key that is cut", .storedKey, .assertion { $0.storedKey.removeLast() }),
        Refusal(
            "the key of another account", .signature,
            .assertion { $0.storedKey = try PasskeySignature.publicKey(PrivateKey(new: .es256)).encoded }),
        Refusal("BE lost", .backupEligibilityChanged, .assertion { $0.draft.data.flags &= ~0x18 }),
        Refusal("BE gained", .backupEligibilityChanged, .assertion { $0.isStoredEligible = false }),
    ]

    private static let countersCases: [(String, UInt32)] = [("the same", 2), ("smaller", 1), ("zero", 0)]

    static let counters: [Refusal] = countersCases.map { name, count in
        Refusal(
            "a counter that is \(name), on one device", .counterRepeated,
            .assertion {
                $0 = try AssertionCase(SoftwareAuthenticator(.hardware))
                $0.storedCount = 2
                $0.draft.data.signCount = count
            })
    }

    private static func signature(
        _ name: String, _ edit: @escaping @Sendable (inout [UInt8]) -> Void
    ) -> Refusal {
        Refusal(
            name, .signature,
            .assertionJSON { draft in
                var bytes = decoded(draft.response["signature"])
                edit(&bytes)
                draft.response["signature"] = DraftObject.encoded(bytes)
            })
    }

    private static func changeData(_ draft: inout PasskeyDraft, _ index: Int, _ edit: (UInt8) -> UInt8) {
        var bytes = decoded(draft.response["authenticatorData"])
        bytes[index] = edit(bytes[index])
        draft.response["authenticatorData"] = DraftObject.encoded(bytes)
    }

    private static func addMember(_ draft: inout PasskeyDraft) {
        let text = decoded(draft.response["clientDataJSON"]).dropLast() + Array(#","more":1}"#.utf8)
        draft.response["clientDataJSON"] = DraftObject.encoded(Array(text))
    }

    private static func decoded(_ json: String?) -> [UInt8] {
        json.flatMap { Base64URL.decode(String($0.dropFirst().dropLast())) } ?? []
    }

    /// The two numbers of a signature in DER, 32 bytes each.
    private static func raw(_ der: [UInt8]) -> [UInt8] {
        numbers(der).flatMap { number -> [UInt8] in
            let digits = Array(number.drop { $0 == 0 })
            return [UInt8](repeating: 0, count: 32 - digits.count) + digits
        }
    }

    /// The same numbers, with a zero too many before each.
    private static func padded(_ der: [UInt8]) -> [UInt8] {
        let content = numbers(der).flatMap { number -> [UInt8] in [0x02, UInt8(number.count + 1), 0] + number }
        return [0x30, UInt8(content.count)] + content
    }

    private static func numbers(_ der: [UInt8]) -> [[UInt8]] {
        let first = Int(der[3])
        return [Array(der[4..<4 + first]), Array(der[(6 + first)...])]
    }
}
