import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import SSOShared
import SSOWeb
import Storage

/// Where users give their account a picture.
enum PicturePath {
    static let page = "/picture"
    static let file = "/picture/file"
    static let remove = "/picture/remove"
}

/// `/picture` takes a file from the user, `/picture/file` shows it to the same user alone.
struct PictureRoutes: Sendable {
    /// Of the form around the file: two parts with their boundaries, and a name of 255 characters that were escaped.
    private static let formBytes = 4 << 10

    let parts: SharedParts

    struct Model: Encodable, Sendable {
        let formToken, errorHTML: String
        let most = ProfilePicture.maximumBytes
        let hasError, hasPicture, isSaved, isRemoved: Bool
    }

    func addRoutes(to router: inout FeatureRouter) {
        let form = Form<SignedInUser>.ofUser(
            parts.accounts.signedIn, orElse: { _ in .init(label: Text("error.try-again"), href: PicturePath.page) },
            submit: submit)
        router.upload(
            at: PicturePath.page, atMost: ProfilePicture.maximumBytes + Self.formBytes, tooLarge: tooLarge,
            show: show, form)
        router.page(at: PicturePath.file, use: file)
        router.form(
            at: PicturePath.remove,
            .ofUser(
                parts.accounts.signedIn, orElse: { _ in .init(label: Text("error.try-again"), href: PicturePath.page) },
                submit: remove))
    }

    // MARK: The page

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard let user = try await parts.accounts.signedIn(context) else {
            return .redirect(to: AccountPage.picture.signIn)
        }
        return try await page(request, user)
    }

    private func page(
        _ request: Request, _ user: SignedInUser, fault: ProfilePicture.PictureError? = nil
    ) async throws -> Response {
        let profile = try await parts.database.read { try ProfileStore.profile(of: user.account.id, $0) }
        let error = fault.map { parts.pages.texts(for: request).html(Text("picture.\($0.rawValue)")) }
        let model = Model(
            formToken: parts.sessions.formToken(for: user.session), errorHTML: error ?? "",
            hasError: fault != nil, hasPicture: profile.picture != nil,
            isSaved: request.queryFields.count("saved") > 0, isRemoved: request.queryFields.count("removed") > 0)
        return parts.pages.response(
            "picture", model, for: request, status: fault == nil ? .ok : .unprocessableContent, offersLanguages: true)
    }

    @Sendable private func tooLarge(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard let user = try await parts.accounts.signedIn(context) else {
            return .redirect(to: AccountPage.picture.signIn)
        }
        return try await page(request, user, fault: .tooLarge)
    }

    // MARK: The file

    /// The picture, for its own user. Whatever its bytes are, a browser makes an image of them or nothing: it has the type that was
    /// found when it came, no script of it runs, and pages of other sites cannot load it.
    @Sendable private func file(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard let user = try await parts.accounts.signedIn(context),
            let picture = try await parts.database.read({ try ProfileStore.picture(of: user.account.id, $0) })
        else { throw PublicError.notFound }
        return Response(
            status: .ok,
            headers: [
                .contentType: picture.kind.contentType, .contentSecurityPolicy: ContentPolicy.image,
                .contentDisposition: "inline; filename=\"picture.\(picture.kind.rawValue)\"",
            ], body: .init(byteBuffer: .init(bytes: picture.bytes)))
    }

    // MARK: Changes

    @Sendable private func submit(_ form: SubmittedForm, _ user: SignedInUser) async throws -> Response {
        let picture: ProfilePicture
        do throws(ProfilePicture.PictureError) {
            picture = try ProfilePicture((try? form.fields.bytes("picture")) ?? [])
        } catch { return try await page(form.request, user, fault: error) }
        try parts.flowLimit.count(user.session)
        try await parts.database.write { connection in
            try ProfileStore.set(picture, of: user.account.id, connection)
            try record(user, form, connection)
        }
        return .redirect(to: "\(PicturePath.page)?saved")
    }

    @Sendable private func remove(_ form: SubmittedForm, _ user: SignedInUser) async throws -> Response {
        try await parts.database.write { connection in
            guard try ProfileStore.removePicture(of: user.account.id, connection) else { return }
            try record(user, form, connection)
        }
        return .redirect(to: "\(PicturePath.page)?removed")
    }

    private func record(_ user: SignedInUser, _ form: SubmittedForm, _ connection: any SQLConnection) throws {
        let event = Event(
            .userChanged, by: .user(user.account.id), account: user.account.id, cause: UserChange.picture.rawValue)
        try form.context.audit?.record(event.only(in: .auditLog), connection)
    }
}
