import Logging
import Synchronization
import WellKnown

/// Both files as they are served right now.
///
/// Owns the change from one content to the next: a reload takes effect only when the new content lints without errors;
/// until then the old one stays.
final class AssociationFiles: Sendable {
    private let sources: [AssociationKind: AssociationSource]
    private let logger: Logger
    private let served: Mutex<[AssociationKind: AssociationFile]>

    init(apple: AssociationSource, android: AssociationSource, logger: Logger) {
        sources = [.aasa: apple, .assetlinks: android]
        self.logger = logger
        served = Mutex([:])
        for (kind, source) in sources { take(kind, source) }
    }

    /// The file to serve; nil when it is not configured.
    subscript(kind: AssociationKind) -> AssociationFile? { served.withLock { $0[kind] } }

    /// Reads the files of one's own again.
    func reload() {
        logger.notice("SIGHUP: files of association are read again; settings and clients are read at the start only")
        for kind in AssociationKind.allCases {
            guard let source = sources[kind], case .file = source else { continue }
            take(kind, source)
        }
    }

    private func take(_ kind: AssociationKind, _ source: AssociationSource) {
        switch source {
        case .nowhere: break
        case .apps(let content): serve(kind, content)
        case .file(let path):
            let reading = AssociationReading(path: path, kind: kind)
            for warning in reading.warnings { logger.warning("association file", metadata: ["warning": "\(warning)"]) }
            for error in reading.errors {
                logger.error("association file not taken, the old one stays", metadata: ["error": "\(error)"])
            }
            guard let content = reading.content else { return }
            serve(kind, content)
            logger.info("association file read", metadata: ["file": "\(path)", "bytes": "\(content.count)"])
        }
    }

    private func serve(_ kind: AssociationKind, _ content: [UInt8]) {
        let file = AssociationFile(content: content)
        served.withLock { $0[kind] = file }
    }
}
