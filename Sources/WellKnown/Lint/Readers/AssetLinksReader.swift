public import SSOShared

/// A program that reads assetlinks.json. The readers agree only on valid files.
///
/// Sources: the Digital Asset Links specification and its compatibility suite (Google's service); AOSP,
/// packages/services StatementService; Chromium, digital_asset_links_handler.cc; Mozilla android-components,
/// StatementApi.kt; duckduckgo/Android, AssetLinksLoader.kt.
public enum AssetLinksReader: String, Sendable, Hashable, CaseIterable {
    /// The Digital Asset Links API, and its users: the password manager and the Play Console.
    case google
    /// The App Links verifier of Android 11 and older.
    case android11
    /// The App Links verifier of Android 12 and later.
    case android12
    /// Trusted Web Activities and Custom Tabs.
    case chrome
    /// Trusted Web Activities and autofill.
    case firefox
    /// Autofill.
    case duckDuckGo = "duckduckgo"

    public var name: String {
        switch self {
        case .google: "Google's API"
        case .android11: "Android 11 and older"
        case .android12: "Android 12 and later"
        case .chrome: "Chrome"
        case .firefox: "Firefox"
        case .duckDuckGo: "DuckDuckGo"
        }
    }

    /// Whether the reader ever uses a relation.
    public func asks(for relation: String) -> Bool {
        switch self {
        case .google: true
        case .android11, .android12: relation == RelationNames.handleAllURLs
        case .chrome, .firefox: relation == RelationNames.handleAllURLs || relation == RelationNames.useAsOrigin
        case .duckDuckGo: relation == RelationNames.handleAllURLs || relation == RelationNames.getLoginCredentials
        }
    }
}

/// The result of one reader for one app.
public struct ReaderVerdict: Sendable, Hashable {
    public enum Outcome: String, Sendable, Hashable {
        case works
        /// The app is not linked.
        case refused = "does not work"
        /// The reader rejects the whole list. The error may be in a statement about another app.
        case listVoid = "list void"
        /// The reader never uses the relation.
        case notAsked = "not asked"
    }

    public let reader: AssetLinksReader
    public let outcome: Outcome
    /// False if the result follows from the behaviour of the reader's libraries and was not observed.
    public let isSure: Bool
    /// The reason in one sentence.
    public let reason: String
    /// The index of the statement with the error, or of the statement that works, if there is one.
    public let statement: Int?
    public let position: SourcePosition?
    public let pointer: String?
}

/// The result of one reader for a whole list.
struct ReaderList: Sendable {
    struct Grant: Sendable {
        let statement: Int
        let relations: [String]
        let fingerprints: [String]
    }

    let reader: AssetLinksReader
    /// Why the reader rejects the whole list, or `nil` if it accepts the list.
    private(set) var void: (reason: String, node: JSONNode?, statement: Int?, isSure: Bool)?
    private(set) var grants: [String: [Grant]] = [:]
    /// Statements that the reader skips, by package name.
    private(set) var skipped: [String: (reason: String, node: JSONNode, statement: Int)] = [:]
    private(set) var includes = 0
    /// Why the reader may drop the list all the same.
    private(set) var doubt: String?
    /// Packages of which an earlier statement does not count, with the relations of that one.
    private(set) var replaced: [String: Set<String>] = [:]

    /// - Parameter file: the document as a list, or `nil` if it is not one.
    init(_ reader: AssetLinksReader, _ document: JSONDocument, _ file: AssetLinksFile?) {
        self.reader = reader
        guard let file else {
            let reason = document.root.map { "the root is \($0.typeName), not an array" } ?? "it is not valid JSON"
            void = (reason, document.root, nil, true)
            return
        }
        let isAndroid = reader == .android11 || reader == .android12
        let fatal = document.errors.filter { Self.isFatal($0, to: reader) }
        if let fault = fatal.first(where: { !isAndroid || !Self.androidTakes($0, document) }) {
            let node = JSONNode(.null, range: fault.offset..<fault.offset)
            void = ("it is not valid JSON: \(fault.message)", node, nil, true)
            return
        }
        if !fatal.isEmpty { doubt = "The text is not valid JSON, and phones that ask Google's service get no list" }
        for (index, statement) in file.statements.enumerated() {
            if !statement.include.isAbsent { includes += 1 }
            if reader == .android12, doubt == nil { doubt = AndroidReading.doubt(statement) }
            switch reader.read(statement) {
            case .grant(let package, let relations, let fingerprints):
                let grant = Grant(statement: index, relations: relations, fingerprints: fingerprints)
                guard reader == .duckDuckGo else {
                    grants[package, default: []].append(grant)
                    continue
                }
                // The reader keeps the last statement of a package, among those with a relation that it knows.
                guard relations.contains(where: reader.asks) else { continue }
                for old in grants[package] ?? [] { replaced[package, default: []].formUnion(old.relations) }
                grants[package] = [grant]
            case .nothing: break
            case .skipped(let reason, let node):
                if let package = statement.target.value?.packageName.value { skipped[package] = (reason, node, index) }
            case .void(let reason, let node, let isSure):
                void = (reason, node, index, isSure)
                return
            }
        }
    }

    /// Android's JsonReader takes control characters, any escape and TRUE in any case, and all after the list.
    private static func androidTakes(_ fault: JSONError, _ document: JSONDocument) -> Bool {
        guard let root = document.root else { return false }
        switch fault.kind {
        // Any other error of syntax leaves no root.
        case .badString, .loneSurrogate, .syntax: return true
        default: return fault.offset >= root.range.upperBound
        }
    }

    /// All readers except Firefox parse JSON strictly. Firefox's parser also accepts comments and single quotes. The
    /// effect of a byte-order mark or a duplicate key on each reader is not known.
    private static func isFatal(_ fault: JSONError, to reader: AssetLinksReader) -> Bool {
        switch fault.kind {
        case .byteOrderMark, .duplicateKey: false
        case .comment, .singleQuotes: reader != .firefox
        default: true
        }
    }
}
