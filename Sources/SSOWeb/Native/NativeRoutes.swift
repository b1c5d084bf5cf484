public import Hummingbird

/// What the web view of an app needs of both programs: the path configuration and `/reset_app`. The same for every user, so
/// none of it reads a session.
public struct NativeRoutes: Sendable {
    private let pages: Pages
    /// The path configuration of each platform.
    public let files: [PathConfiguration.Platform: PublicFile]

    private struct ResetPage: Encodable, Sendable {}

    public init(pages: Pages, paths: PathConfiguration) {
        self.pages = pages
        files = PathConfiguration.Platform.allCases.reduce(into: [:]) {
            $0[$1] = PublicFile(json: paths.json(for: $1))
        }
    }

    public func add<Context: RequestContext>(to router: Router<Context>) {
        for (platform, file) in files {
            router.only([.get, .head], at: RouterPath(platform.path)) { request, _ in file.response(to: request) }
        }
        router.page(at: RouterPath(NativePath.resetApp)) { request, _ in resetPage(request) }
    }

    /// The page at ``NativePath/resetApp``.
    public func resetPage(_ request: Request) -> Response { pages.response("reset-app", ResetPage(), for: request) }
}
