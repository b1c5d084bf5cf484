import SSOShared

/// What one reader makes of a whole list.
struct ReaderList: Sendable {
    struct Grant: Sendable {
        let statement: Int
        let relations: [String]
        let fingerprints: [String]
    }

    let reader: AssetLinksReader
    /// Why the reader drops everything; `nil` when it does not.
    private(set) var void: (reason: String, node: JSONNode?, statement: Int?, isSure: Bool)?
    private(set) var grants: [String: [Grant]] = [:]
    /// Statements it skips, by the package that is written there.
    private(set) var skipped: [String: (reason: String, node: JSONNode, statement: Int)] = [:]
    private(set) var includes = 0

    /// - Parameter file: the document as a list; `nil` when it is none.
    init(_ reader: AssetLinksReader, _ document: JSONDocument, _ file: AssetLinksFile?) {
        self.reader = reader
        guard let file else {
            let reason = document.root.map { "the root is \($0.typeName), not an array" } ?? "it is not valid JSON"
            void = (reason, document.root, nil, true)
            return
        }
        if let fault = document.errors.first(where: { Self.isFatal($0, to: reader) }) {
            void = (
                "it is not valid JSON: \(fault.message)", JSONNode(.null, range: fault.offset..<fault.offset), nil, true
            )
            return
        }
        for (index, statement) in file.statements.enumerated() {
            if !statement.include.isAbsent { includes += 1 }
            switch reader.read(statement) {
            case .grant(let package, let relations, let fingerprints):
                let grant = Grant(statement: index, relations: relations, fingerprints: fingerprints)
                guard reader == .duckDuckGo else {
                    grants[package, default: []].append(grant)
                    continue
                }
                // It keeps the last statement of a package, of those that have a relation it knows.
                if relations.contains(where: reader.asks) { grants[package] = [grant] }
            case .nothing: break
            case .skipped(let reason, let node):
                if let package = statement.target.value?.packageName.value { skipped[package] = (reason, node, index) }
            case .void(let reason, let node, let isSure):
                void = (reason, node, index, isSure)
                return
            }
        }
    }

    /// All readers but Firefox take JSON strictly; its parser takes comments and single quotes, too. What a byte-order
    /// mark or a duplicate key does to each is not known.
    private static func isFatal(_ fault: JSONError, to reader: AssetLinksReader) -> Bool {
        switch fault.kind {
        case .byteOrderMark, .duplicateKey: false
        case .comment, .singleQuotes: reader != .firefox
        default: true
        }
    }
}
