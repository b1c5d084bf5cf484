/// A value of CBOR (RFC 8949), of the kinds that CTAP 2 has.
enum CBOR: Equatable, Sendable {
    enum Key: Hashable, Sendable {
        case integer(Int)
        case text(String)
    }

    case integer(Int)
    case bytes([UInt8])
    case text(String)
    case array([CBOR])
    case map([Key: CBOR])
    case bool(Bool)
    case null

    var integer: Int? { if case .integer(let number) = self { number } else { nil } }
    var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
    var text: String? { if case .text(let text) = self { text } else { nil } }
    var map: [Key: CBOR]? { if case .map(let members) = self { members } else { nil } }
}
