import Hummingbird
package import IdPFlow
package import Logging
import SSOShared
package import SSOWeb
import Synchronization
package import WellKnown

/// Both files as they are served at the moment. A reload takes effect only if the new content lints without errors.
/// Otherwise the old content stays.
package final class AssociationFiles: Sendable {
    private let sources: [AssociationKind: AssociationSource]
    private let logger: Logger
    private let served: Mutex<[AssociationKind: PublicFile]>

    package convenience init(_ values: SettingValues, logger: Logger) throws(SettingError) {
        self.init(
            apple: try values[AssociationSettings.apple], android: try values[AssociationSettings.android],
            logger: logger)
    }

    init(apple: AssociationSource, android: AssociationSource, logger: Logger) {
        sources = [.aasa: apple, .assetlinks: android]
        self.logger = logger
        served = Mutex([:])
        for (kind, source) in sources { load(kind, source) }
    }

    /// The file to serve; nil if it is not configured.
    package subscript(kind: AssociationKind) -> PublicFile? { served.withLock { $0[kind] } }

    /// Reads `IDP_AASA_FILE` and `IDP_ASSETLINKS_FILE` again.
    package func reload() {
        for kind in AssociationKind.allCases {
            guard let source = sources[kind], case .file = source else { continue }
            load(kind, source)
        }
    }

    private func load(_ kind: AssociationKind, _ source: AssociationSource) {
        switch source {
        case .none: break
        case .apps(let content): serve(kind, content)
        case .file(let path):
            let reading = AssociationReading(path: path, kind: kind)
            for warning in reading.warnings {
                logger.record(Event(.associationFileWarning, ["warning": "\(warning)"]))
            }
            for error in reading.errors {
                logger.record(Event(.associationFileRejected, ["error": "\(error)"]))
            }
            guard let content = reading.content else { return }
            serve(kind, content)
            logger.record(Event(.associationFileLoaded, ["file": "\(path)", "bytes": .number(content.count)]))
        }
    }

    private func serve(_ kind: AssociationKind, _ content: [UInt8]) {
        let file = PublicFile(json: content)
        served.withLock { $0[kind] = file }
    }
}

/// Serves the two association files of universal links and app links.
///
/// Phones require status 200, no redirect and the right type. Otherwise links open the browser, without any message.
package struct AssociationRoutes: Feature {
    /// What an app may open: the start of a sign-in and the links in emails. Never a relying party's callback, never
    /// `/auth/sso/verify`: a universal link that swallows the callback would finish the sign-in inside the app's web view,
    /// where the browser's session is not.
    package static let claimedPaths = [SSOPath.authorize, "\(SignInPath.link)/*"]

    package static let settings = AssociationSettings.all

    let files: AssociationFiles

    package init(files: AssociationFiles) {
        self.files = files
    }

    /// Both files; 404 for one that is not configured.
    package func addRoutes(
        to router: inout FeatureRouter, _ completion: SignInCompletion, _ methods: [any SignInMethod]
    ) {
        for kind in AssociationKind.allCases {
            router.file(at: kind.path) { request, _ in try respond(kind, request) }
        }
    }

    func respond(_ kind: AssociationKind, _ request: Request) throws -> Response {
        // Not an empty list: Apple's CDN would keep "no app" for a day.
        guard let file = files[kind] else { throw HTTPError(.notFound) }
        return file.response(to: request)
    }
}
