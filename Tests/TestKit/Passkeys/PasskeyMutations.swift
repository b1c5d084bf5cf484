import SSOShared

/// A response of a passkey, taken apart: the members, and the bytes of those that hold some.
struct PasskeyContent: Sendable {
    private(set) var draft: PasskeyDraft
    private(set) var bytes: [(name: String, value: [UInt8])]
    let id: [UInt8]

    init(_ json: [UInt8]) throws {
        let root = try JSONReader.readStrictly(json)
        id = root["id"]?.string.flatMap { Base64URL.decode($0) } ?? []
        func members(_ node: JSONNode?) -> [(name: String, json: String)] {
            (node?.object ?? []).map { ($0.key, String(decoding: json[$0.value.range], as: UTF8.self)) }
        }
        let response = DraftObject(members(root["response"]))
        draft = PasskeyDraft(id: id, attachment: "", results: "{}", response: response)
        draft.outer = DraftObject(members(root).filter { $0.name != "response" })
        let names = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]
        bytes = names.compactMap { name in
            root["response"]?[name]?.string.flatMap { Base64URL.decode($0) }.map { (name, $0) }
        }
    }

    subscript(name: String) -> [UInt8]? {
        get { bytes.first { $0.name == name }?.value }
        set {
            guard let index = bytes.firstIndex(where: { $0.name == name }) else { return }
            bytes[index].value = newValue ?? []
            draft.response[name] = newValue.map { DraftObject.encoded($0) }
        }
    }

    /// What an assertion signs.
    var signedBytes: [UInt8] { (self["authenticatorData"] ?? []) + (self["clientDataJSON"] ?? []) }
    var json: [UInt8] { draft.json }
}

/// Makes wrong responses of right ones. The same seed makes the same ones.
struct PasskeyMutations {
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(state: seed) }

    /// The response with one to three changes: in its text, or in the bytes of a member.
    mutating func mutated(_ content: PasskeyContent) -> [UInt8] {
        var content = content
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            guard let member = content.bytes.randomElement(using: &random), Int.random(in: 0..<8, using: &random) > 0
            else {
                return changed(content.json)
            }
            content[member.name] = changed(member.value)
        }
        return content.json
    }

    /// Up to 300 bytes that begin like CBOR.
    mutating func noise() -> [UInt8] {
        let heads: [UInt8] = [0xa1, 0xa3, 0x83, 0x9b, 0xbb, 0x5b, 0x7b, 0xbf, 0x63, 0x58, 0xd9, 0xfb]
        let count = Int.random(in: 0...300, using: &random)
        return (0..<count).map { _ in
            (Bool.random(using: &random) ? heads.randomElement(using: &random) : nil)
                ?? UInt8.random(in: 0...255, using: &random)
        }
    }

    private mutating func changed(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        guard let index = bytes.indices.randomElement(using: &random) else { return [0] }
        switch Int.random(in: 0..<7, using: &random) {
        case 0: bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &random)
        case 1: bytes[index] = UInt8.random(in: 0...255, using: &random)
        case 2: bytes.remove(at: index)
        case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: index)
        case 4: bytes.removeLast(bytes.count - index)
        case 5: bytes += bytes[index...].prefix(40)
        default: bytes.swapAt(index, bytes.indices.randomElement(using: &random) ?? index)
        }
        return bytes
    }
}
