import HTTPTypes
import Hummingbird
import IdPFlow
import SSOShared
import SSOWeb

/// The pages of ``EmailLink``: the button, the code for another browser, and a link that no longer works.
package struct EmailLinkPage: Sendable {
    let pages: Pages
    let lifetime: SessionLifetime

    /// Why a link does not work. The raw values are stable: the log has them as `reason`.
    enum Ending: String, Sendable, CaseIterable {
        case expired
        /// This email has signed in, by whatever way.
        case used
        /// The link was cut off or changed.
        case damaged
        /// The page was opened without a link, or the browser did not keep the cookie.
        case noCookie = "no_cookie"
    }

    /// The one next step after a link that does not work.
    enum NextStep: Sendable {
        /// In the browser that asked: another email to the address, for the same flow.
        case newEmail(address: String, flow: FlowID?, formToken: String)
        /// Back to the client whose flow has ended meanwhile.
        case client(PublicError.NextStep)
        /// For a user who is signed in.
        case goOn(path: String)
        case signIn
    }

    struct Model: Encodable, Sendable {
        let formToken, challenge, address, service, provider, code, spaced, device: String
        let time: Moment
        let hasButton, hasClient, addsProvider, hasCode: Bool
        let remember: RememberChoice?
    }

    /// The page of the asking browser, or of a known one. It keeps the default referrer policy: under `no-referrer` browsers
    /// send the form with `Origin: null`, which ``CSRFTokens`` refuses.
    ///
    /// - Parameters:
    ///   - service: the client that the sign-in goes on to, if any.
    ///   - provider: the name of the provider that the button adds to the account; nil for none.
    ///   - code: for a browser that did not ask: the code to type where the sign-in began.
    ///   - remembers: whether the user has ticked the box to stay signed in where the email was asked for.
    func button(
        _ request: Request, formToken: String, challenge: Challenge, service: String?, adding provider: String?,
        code: String?, remembers: Bool = false
    ) -> Response {
        pages.response(
            "email-link",
            model(
                request, challenge, formToken: formToken, service: service, provider: provider, code: code,
                hasButton: true, remembers: remembers), for: request, offersLanguages: true)
    }

    /// The page of any other browser. It has no form and names no address.
    ///
    /// - Parameter code: nil while no code can be typed.
    func code(_ request: Request, challenge: Challenge, code: String?) -> Response {
        pages.response(
            "email-link",
            model(
                request, challenge, formToken: "", service: challenge.service ?? pages.brand, provider: nil, code: code,
                hasButton: false),
            for: request, headers: [.referrerPolicy: "no-referrer"], offersLanguages: true)
    }

    private func model(
        _ request: Request, _ challenge: Challenge, formToken: String, service: String?, provider: String?,
        code: String?, hasButton: Bool, remembers: Bool = false
    ) -> Model {
        let texts = pages.texts(for: request)
        return Model(
            formToken: formToken, challenge: challenge.id,
            address: (try? EmailAddress(challenge.address))?.masked ?? "",
            service: service ?? "", provider: provider ?? "", code: code ?? "", spaced: code?.spelledOut ?? "",
            device: challenge.requester(texts, brand: pages.brand),
            time: texts.moment(challenge.createdAt), hasButton: hasButton, hasClient: service != nil,
            addsProvider: provider != nil, hasCode: code != nil,
            remember: hasButton ? RememberChoice(lifetime, isTicked: remembers, request, texts) : nil)
    }

    struct EndedModel: Encodable, Sendable {
        let title, titleHTML, explanationHTML, labelHTML, href: String
        let formToken, email, flow, address, reference: String
        let sendsEmail: Bool
    }

    func ended(
        _ request: Request, _ ending: Ending, _ reference: RequestReference, next: NextStep
    ) -> Response {
        let texts = pages.texts(for: request)
        let (title, explanation) = Self.texts(ending)
        func model(
            _ label: Text, href: String = "", formToken: String = "", address: String = "", flow: FlowID? = nil
        ) -> EndedModel {
            EndedModel(
                title: texts.plain(title), titleHTML: texts.html(title), explanationHTML: texts.html(explanation),
                labelHTML: texts.html(label), href: href, formToken: formToken, email: address,
                flow: flow?.text ?? "", address: (try? EmailAddress(address))?.masked ?? "",
                reference: reference.description, sendsEmail: href.isEmpty)
        }
        let shown =
            switch next {
            case .newEmail(let address, let flow, let formToken):
                model(Text("code.send-again"), formToken: formToken, address: address, flow: flow)
            case .client(let start): model(start.label, href: start.href)
            case .goOn(let path): model(path == "/" ? Text("home.title") : Text("link.go-on"), href: path)
            case .signIn: model(Text("sign-in.title"), href: SignInPath.signIn)
            }
        return pages.response("email-link-ended", shown, for: request, status: .gone)
    }

    private static func texts(_ ending: Ending) -> (title: Text, explanation: Text) {
        switch ending {
        case .expired: (Text("link.expired.title"), Text("link.expired"))
        case .used: (Text("link.used.title"), Text("link.used"))
        case .damaged: (Text("link.damaged.title"), Text("link.damaged"))
        case .noCookie: (Text("link.damaged.title"), Text("link.no-cookie"))
        }
    }
}
