import IdPFlow
import SSOWeb

/// The parts of the sign-in page that offer a sign-in at once: the buttons of providers, the form for an email and the button for
/// passkeys, in their order.
///
/// The providers come first, in the order of their file, and passkeys last: a browser without them shows no button. What the
/// browser used last comes before everything else, and so does the form for an email whose address has to be corrected. Of the
/// buttons for an email and for a passkey the first one is the main one.
struct SignInParts: Sendable {
    struct Part: Encodable, Sendable {
        var isSecond = false
        var hasEmailField = false
        /// Whether another button is the main one of the page.
        var isQuiet = false
        var hasProviders = false
        var hasMore = false
        /// Whether the form for an email is what the browser used last.
        var isLastUsed = false
        /// The box of the form for an email.
        var remember: RememberChoice?
        var passkey: PasskeyForm?
        var providers: [ProviderForm] = []
        /// Those beyond ``shownProviders``, behind "More ways to sign in".
        var more: [ProviderForm] = []
    }

    /// Its script shows it, with the words between it and its neighbour.
    struct PasskeyForm: Encodable, Sendable {
        let action, renewal, options: String
        /// The box, where no form for an email above it has one. The script sends the box with either form.
        var remember: RememberChoice?
        var isFirst = false
        /// Whether there is no other way beside it.
        var isAlone = false
        var isQuiet = false
        var isLastUsed = false
    }

    struct ProviderForm: Encodable, Sendable {
        let id, kind, action, logo, logoSizeHTML, labelHTML, detail: String
        let hasLogo, hasDetail, hasNote, isLastUsed: Bool
    }

    /// More buttons than these are a wall: the others are folded.
    static let shownProviders = 3

    /// At most three.
    let ordered: [Part]

    /// - Parameters:
    ///   - remember: the box, which stands in the first form that it counts for.
    ///   - lastUsed: from the browser: the id of a provider, ``LastMethodCookie/email``, or any text.
    ///   - logo: the path of a brand's logo; empty for none.
    init(
        providers: [ProviderButton], passkey: PasskeyForm? = nil, remember: RememberChoice? = nil, hasEmailField: Bool,
        hasError: Bool,
        lastUsed: Substring?, texts: Texts, logo: (String) -> String
    ) {
        let isLast = { (id: String) in lastUsed.map { $0.utf8.elementsEqual(id.utf8) } ?? false }
        let sorted = providers.filter { isLast($0.id) } + providers.filter { !isLast($0.id) }
        let forms = sorted.map { button in
            let path = button.logo ?? logo(button.brand)
            return ProviderForm(
                id: button.id, kind: button.brand, action: button.path, logo: path, logoSizeHTML: button.logoSizeHTML,
                labelHTML: texts.html(button.label), detail: button.detail ?? "", hasLogo: !path.isEmpty,
                hasDetail: button.detail != nil, hasNote: button.detail != nil || isLast(button.id),
                isLastUsed: isLast(button.id))
        }
        // One alone behind a fold would cost a click and save no room.
        let shown = forms.count <= Self.shownProviders + 1 ? forms.count : Self.shownProviders
        let (first, more) = (Array(forms.prefix(shown)), Array(forms.dropFirst(shown)))
        let buttons = Part(hasProviders: true, hasMore: !more.isEmpty, providers: first, more: more)
        // One way alone is no choice. Passkeys may be out of sight.
        let isEmailLast = !providers.isEmpty && isLast(LastMethodCookie.email)
        var email = Part(hasEmailField: true, isLastUsed: isEmailLast)
        var parts: [Part] = []
        if !providers.isEmpty { parts.append(buttons) }
        let isPasskeyLast = passkey != nil && (hasEmailField || !providers.isEmpty) && isLast(LastMethodCookie.passkey)
        let isPasskeyFirst = isPasskeyLast && !hasError
        if !isPasskeyFirst { email.remember = remember }
        if hasEmailField { parts.insert(email, at: isEmailLast || hasError ? 0 : parts.count) }
        if parts.count == 2 { parts[1].isSecond = true }
        if var passkey {
            (passkey.isLastUsed, passkey.isFirst) = (isPasskeyLast, isPasskeyFirst)
            if isPasskeyFirst || !hasEmailField { passkey.remember = remember }
            passkey.isAlone = parts.isEmpty
            passkey.isQuiet = hasEmailField && !passkey.isFirst
            for index in parts.indices { parts[index].isQuiet = passkey.isFirst }
            parts.insert(Part(passkey: passkey), at: passkey.isFirst ? 0 : parts.count)
        }
        ordered = parts
    }
}
