import SSOShared
import SSOWeb

extension SignInWishes {
    /// The wishes of an authorize request. A value that is not understood is an error: without it a client would get another
    /// sign-in than the one it asked for.
    static func read(_ fields: URLEncodedFields) throws(AuthorizeQueryError.Cause) -> SignInWishes {
        var wishes = SignInWishes()
        if let text = try fields.wish("prompt", repeated: .promptRepeated, malformed: .promptUnknown) {
            guard let prompt = Prompt.allCases.first(where: { $0.rawValue.utf8.elementsEqual(text) }) else {
                throw .promptUnknown
            }
            wishes.prompt = prompt
        }
        if let text = try fields.wish("max_age", repeated: .maxAgeRepeated, malformed: .maxAgeMalformed) {
            guard let seconds = wholeSeconds(text) else { throw .maxAgeMalformed }
            wishes.maxAge = .seconds(seconds)
        }
        if let text = try fields.wish("acr_values", repeated: .strengthRepeated, malformed: .strengthUnknown) {
            guard let strength = Strength.allCases.first(where: { $0.rawValue.utf8.elementsEqual(text) }) else {
                throw .strengthUnknown
            }
            wishes.strength = strength
        }
        if let text = try fields.wish("login_hint", repeated: .loginHintRepeated, malformed: .loginHintMalformed) {
            guard let address = String(validating: text, as: UTF8.self).flatMap({ try? Entered.address($0) }) else {
                throw .loginHintMalformed
            }
            wishes.loginHint = address.text
        }
        return wishes
    }

    /// Zero to ``longestMaxAge``, in ASCII digits only: `Int` also reads a sign, and other libraries a fraction.
    private static func wholeSeconds(_ text: [UInt8]) -> Int? {
        guard (1...10).contains(text.count), text.allSatisfy(\.isASCIIDigit) else { return nil }
        let seconds = text.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return seconds <= longestMaxAge ? seconds : nil
    }
}

extension URLEncodedFields {
    fileprivate func wish(
        _ name: String, repeated: AuthorizeQueryError.Cause, malformed: AuthorizeQueryError.Cause
    ) throws(AuthorizeQueryError.Cause) -> [UInt8]? {
        do { return try bytes(name) } catch { throw error.isRepetition ? repeated : malformed }
    }
}
