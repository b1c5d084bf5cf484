import SSOShared
import SSOWeb

extension EmailAddressError {
    /// What is wrong with a typed address. It was refused, so there is something.
    static func reason(_ typed: String) -> EmailAddressError {
        do throws(EmailAddressError) {
            _ = try Entered.address(typed)
            return .noAt
        } catch { return error }
    }

    /// What is wrong, for the user who typed it.
    var words: Text {
        switch self {
        case .empty, .noAt: Text("sign-in.error")
        case .tooLong, .longLocalPart: Text("sign-in.error-long")
        case .severalAts: Text("sign-in.error-several")
        case .character(let scalar, let position): Self.words(scalar, at: position)
        case .dots(.twoInARow): Text("sign-in.error-dots")
        case .dots(.first): Text("sign-in.error-dot-first")
        case .dots(.last): Text("sign-in.error-dot-last")
        case .badDomain: Text("sign-in.error-domain")
        }
    }

    private static func words(_ scalar: Unicode.Scalar, at position: Int) -> Text {
        let place = String(position)
        if scalar.properties.isWhitespace { return Text("sign-in.error-space", ["position": place]) }
        if UnseenCharacter.name(scalar) != nil {
            return Text("sign-in.error-unseen", ["code": UnseenCharacter.code(scalar), "position": place])
        }
        return Text("sign-in.error-character", ["character": String(scalar), "position": place])
    }
}
