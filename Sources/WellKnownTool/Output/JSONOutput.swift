import Foundation

/// Writes JSON with a fixed order of keys, so that outputs can be compared.
enum JSONOutput {
    static func text(_ object: JSONObject) -> String { text(encoding: object) }

    static func text(encoding value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else { return "{}\n" }
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}

/// An object of an output. A member whose value is `nil` is left out. The names of the members are part of the interface.
struct JSONObject: Encodable, ExpressibleByDictionaryLiteral {
    private struct Member: Encodable {
        let value: any Encodable

        func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
    }

    private let members: [String: Member]

    init(dictionaryLiteral members: (String, (any Encodable)?)...) {
        let present = members.compactMap { name, value in value.map { (name, Member(value: $0)) } }
        self.members = Dictionary(present) { $1 }
    }

    func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }
}
