import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import SSOShared
import SSOWeb
import Synchronization
import WellKnown

/// Both files as they are served at the moment. A reload takes effect only if the new content lints without errors.
/// Otherwise the old content stays.
final class AssociationFiles: Sendable {
    private let sources: [AssociationKind: AssociationSource]
    private let logger: Logger
    private let served: Mutex<[AssociationKind: AssociationFile]>

    init(apple: AssociationSource, android: AssociationSource, logger: Logger) {
        sources = [.aasa: apple, .assetlinks: android]
        self.logger = logger
        served = Mutex([:])
        for (kind, source) in sources { load(kind, source) }
    }

    /// The file to serve; nil if it is not configured.
    subscript(kind: AssociationKind) -> AssociationFile? { served.withLock { $0[kind] } }

    /// Reads `IDP_AASA_FILE` and `IDP_ASSETLINKS_FILE` again.
    func reload() {
        logger.notice(
            "reload",
            metadata: ["message": "reloading the association files; settings and clients need a restart"])
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
                logger.warning("association_file_warning", metadata: ["warning": "\(warning)"])
            }
            for error in reading.errors {
                logger.error("association_file_rejected", metadata: ["error": "\(error)"])
            }
            guard let content = reading.content else { return }
            serve(kind, content)
            logger.info("association_file_loaded", metadata: ["file": "\(path)", "bytes": .number(content.count)])
        }
    }

    private func serve(_ kind: AssociationKind, _ content: [UInt8]) {
        let file = AssociationFile(content: content)
        served.withLock { $0[kind] = file }
    }
}

/// One association file as it is served: its bytes, headers and entity tag.
struct AssociationFile: Sendable {
    /// Five minutes, so that a new app id takes effect soon. Apple's CDN keeps a copy for hours anyway.
    static let cacheControl = "public, max-age=300"

    /// The file's bytes.
    let content: [UInt8]
    private let body: ByteBuffer
    private let headers: HTTPFields

    init(content: [UInt8]) {
        self.content = content
        body = ByteBuffer(bytes: content)
        headers = [
            // No charset: RFC 8259 defines no such parameter.
            .contentType: "application/json",
            .contentLength: String(content.count),
            .cacheControl: Self.cacheControl,
            // A hash of the bytes, so that several processes answer with the same tag.
            .eTag: "\"\(Hex.encode(SHA256.hash(content)))\"",
        ]
    }

    /// The strong tag, quotes included.
    var tag: String? { headers[.eTag] }

    /// 304 if the client has this file already, otherwise 200. HEAD gets the length without the body.
    func response(to request: Request) -> Response {
        if isCached(by: request) { return Response(status: .notModified, headers: headers) }
        guard request.method != .head else { return Response(status: .ok, headers: headers) }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
    }

    /// RFC 9110 section 13.1.2: `*`, or a list that contains this tag. `W/` makes no difference for GET.
    private func isCached(by request: Request) -> Bool {
        guard let own = tag else { return false }
        return request.headers[values: .ifNoneMatch].contains { value in
            value.split(separator: ",").contains { tag in
                let tag = tag.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
                return tag == "*" || (tag.hasPrefix("W/") ? tag.dropFirst(2) : tag) == own[...]
            }
        }
    }
}

/// Serves the two association files of universal links and app links.
///
/// Phones require status 200, no redirect and the right type. Otherwise links open the browser, without any message.
struct AssociationRoutes: Sendable {
    /// What an app may open: the start of a sign-in and the links in emails. Never a relying party's callback, never
    /// `/auth/sso/verify`: a universal link that swallows the callback would finish the sign-in inside the app's web view,
    /// where the browser's session is not.
    static let claimedPaths = ["/auth/sso/authorize", "/sign-in/link/*"]

    let files: AssociationFiles

    /// Adds GET and HEAD for both files; 404 for a file that is not configured, 405 for other methods.
    func add<Context: RequestContext>(to router: some RouterMethods<Context>) {
        for kind in AssociationKind.allCases {
            router.only([.get, .head], at: RouterPath(kind.path)) { [files] request, _ in
                // Not an empty list: Apple's CDN would keep "no app" for a day.
                guard let file = files[kind] else { throw HTTPError(.notFound) }
                return file.response(to: request)
            }
        }
    }
}
