import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import IdPOperations
import SSOShared
import SSOWeb
import Storage

/// `/address/stop`: the link in the email to the old address of an account. Its button puts the address back.
///
/// GET changes nothing, so mail scanners may fetch the link. Who has the link has read the mailbox that the account was signed in to
/// by until then: it gives nobody more than they had.
struct AddressStopRoutes: Sendable {
    let parts: SharedParts
    let keys: AddressKeys
    let mail: OwnAccountNews

    private var cookie: BrowserCookie {
        BrowserCookie(name: "idp_address", origin: parts.origin, maximumAge: .minutes(10))
    }

    struct Model: Encodable, Sendable {
        let formToken, email, newAddress: String
    }

    func addRoutes(to router: inout FeatureRouter) {
        router.page(at: "\(AddressPath.stop)/:key", hasToken: true, use: keep)
        let form = Form(
            about: { post in .open(try await open(post.request)) },
            orElse: { _ in .init(label: Text("error.try-again"), href: AddressPath.stop) }, submit: submit)
        router.form(at: AddressPath.stop, show: show, form)
        router.publicPage(at: AddressPath.stopped) { [pages = parts.pages] request, _ in
            pages.response("address-stopped", NoModel(), for: request, offersLanguages: true)
        }
    }

    @Sendable private func keep(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let id = keys.changeID(of: context.parameters.get("key") ?? "")
        return cookie.taking(id.map(keys.stopKey), to: AddressPath.stop)
    }

    /// - Throws: ``PublicError`` 410 for a change that cannot be stopped.
    private func open(_ request: Request) async throws -> AddressChange {
        let now = parts.clock.now()
        guard let id = cookie.value(in: request).flatMap({ keys.changeID(of: $0) }),
            let change = try await parts.database.read({ try AddressChangeStore.stoppable(id, at: now, $0) })
        else { throw PublicError.addressStopEnded }
        return change
    }

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let change = try await open(request)
        let session = try await parts.sessions.current(request, context)
        let model = Model(
            formToken: parts.sessions.formToken(for: session), email: change.oldAddress,
            newAddress: change.newAddress)
        var response = parts.pages.response("address-stop", model, for: request, offersLanguages: true)
        parts.sessions.remember(session, in: &response)
        return response
    }

    @Sendable private func submit(_ form: SubmittedForm, _ change: AddressChange) async throws -> Response {
        let operators = mail.changes(by: .visitor)
        let outcome = try await parts.database.write { connection in
            let outcome = try operators.make(StopAddressChange(change.id, parts.accounts), connection).result
            if outcome == .stopped { try mail.tell([.back, .gone], about: change.id, connection) }
            return outcome
        }
        guard outcome == .stopped else { throw PublicError.addressStopEnded }
        var response = Response.redirect(to: AddressPath.stopped)
        cookie.clear(in: &response)
        return response
    }
}

extension PublicError {
    fileprivate static let addressStopEnded = PublicError(
        .gone, code: "address_stop_ended", title: Text("address.stop-ended.title"),
        explanation: Text("address.stop-ended"),
        nextStep: .init(label: Text("sign-in.title"), href: SignInPath.signIn), cause: "address_stop_ended")
}
