/// Why a text is not an email address. The descriptions may be shown to the user who typed it.
package enum EmailAddressError: Error, Equatable, CustomStringConvertible {
    case empty
    case tooLong
    case noAt
    case severalAts
    /// A character that cannot stand there. `position` counts the characters of the written text from 1.
    case character(Unicode.Scalar, position: Int)
    case dots(Dots)
    case longLocalPart
    case badDomain(Domain)

    /// Where full stops stand that no address has (RFC 5321 section 4.1.2).
    package enum Dots: String, Sendable {
        case twoInARow = "The address has two full stops in a row."
        case first = "The part before the @ begins with a full stop."
        case last = "The part before the @ ends with a full stop."
    }

    /// What is wrong with the part after the @.
    package enum Domain: String, Sendable {
        case noDot = "has no full stop"
        case dotFirst = "begins with a full stop"
        case dotLast = "ends with a full stop"
        case hyphen = "has a hyphen at the beginning or end of a part"
        case long = "is longer than 253 characters, or has a part that is longer than 63"
        case number = "ends with a number"
        case letters = "has characters that no domain has, or not in this order (UTS 46), or a part that is too long"
    }

    package var description: String {
        switch self {
        case .empty: "The address is empty."
        case .tooLong: "The address is longer than 254 characters."
        case .noAt: "An address has one @ between a name and a domain."
        case .severalAts: "An address has one @, and this text has more."
        case .character(let scalar, let position):
            if let name = UnseenCharacter.name(scalar) {
                "The address has \(name) at position \(position)."
            } else {
                "The address has \"\(scalar)\" (\(UnseenCharacter.code(scalar))) at position \(position), where it cannot be."
            }
        case .dots(let dots): dots.rawValue
        case .longLocalPart: "The part before the @ is longer than 64 characters."
        case .badDomain(let fault):
            "The part after the @ is not a domain name such as example.com: it \(fault.rawValue)."
        }
    }
}
