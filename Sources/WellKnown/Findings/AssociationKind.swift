public import SSOShared

/// Which of the two association files a text is.
public enum AssociationKind: String, Sendable, Hashable, CaseIterable {
    /// Apple's: apple-app-site-association.
    case aasa
    /// Google's: assetlinks.json.
    case assetlinks

    /// The name that the systems ask for, below `/.well-known/`.
    public var fileName: String {
        switch self {
        case .aasa: "apple-app-site-association"
        case .assetlinks: "assetlinks.json"
        }
    }

    /// The most bytes a reader takes. Apple: 128 KB uncompressed (App Search Programming Guide, "Support Universal
    /// Links"); AOSP's StatementService stops at 1 MiB.
    public var maximumBytes: Int {
        switch self {
        case .aasa: 131_072
        case .assetlinks: 1_048_576
        }
    }

    /// The file of the other system.
    public var other: AssociationKind { self == .aasa ? .assetlinks : .aasa }
}

extension AssociationKind {
    /// Tells the file by its name first: a file with the other's content is a fault to report, not one to hide.
    /// Else by its content.
    ///
    /// - Returns: `nil` when neither says which it is.
    public static func guess(fileName: String? = nil, body: some Sequence<UInt8>) -> AssociationKind? {
        fileName.flatMap(guess(fileName:)) ?? guess(JSONReader.read(body))
    }

    /// By the last part of a path or URL alone.
    public static func guess(fileName: String) -> AssociationKind? {
        let name = (fileName.split(separator: "/").last.map(String.init) ?? fileName).lowercased()
        if name.contains("assetlinks") { return .assetlinks }
        if name.contains("apple-app-site-association") || name.contains("aasa") { return .aasa }
        return nil
    }

    /// By its content alone: a list is Google's, an object Apple's, unless it is one statement that lacks its
    /// list, or Apple's services inside a list.
    public static func guess(_ document: JSONDocument) -> AssociationKind? {
        guard let root = document.root else { return nil }
        if let items = root.array {
            let isWrapped = items.first?.object?.contains { AASAFile.services.contains($0.key) } == true
            return isWrapped ? .aasa : .assetlinks
        }
        guard let members = root.object else { return nil }
        let isApple = members.contains { AASAFile.services.contains($0.key) }
        let isStatement = members.contains { AssetStatement.keys.contains($0.key) }
        return isStatement && !isApple ? .assetlinks : .aasa
    }
}
