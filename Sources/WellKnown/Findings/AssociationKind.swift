public import SSOShared

/// One of the two association files.
public enum AssociationKind: String, Sendable, Hashable, CaseIterable {
    /// Apple's file: apple-app-site-association.
    case aasa
    /// Google's file: assetlinks.json.
    case assetlinks

    public var fileName: String { self == .aasa ? "apple-app-site-association" : "assetlinks.json" }

    /// The maximum size that readers accept, in bytes. Apple: 128 KB uncompressed (App Search Programming Guide, "Support Universal
    /// Links"); AOSP's StatementService stops at 1 MiB.
    public var maximumBytes: Int { self == .aasa ? 131_072 : 1_048_576 }

    public var other: AssociationKind { self == .aasa ? .assetlinks : .aasa }
}

extension AssociationKind {
    /// Detects the kind by the name, so that a file with the other's content is reported, and otherwise by the content.
    ///
    /// - Returns: `nil` if neither is conclusive.
    public static func guess(fileName: String? = nil, body: some Sequence<UInt8>) -> AssociationKind? {
        fileName.flatMap(guess(fileName:)) ?? guess(JSONReader.read(body))
    }

    /// Detects the kind by the last part of a path or URL.
    public static func guess(fileName: String) -> AssociationKind? {
        let name = (fileName.split(separator: "/").last.map(String.init) ?? fileName).lowercased()
        if name.contains("assetlinks") { return .assetlinks }
        if name.contains("apple-app-site-association") || name.contains("aasa") { return .aasa }
        return nil
    }

    /// Detects the kind by the content. A list is Google's file, an object is Apple's file. Two exceptions: a single
    /// statement without its list is Google's, and a list with Apple's services is Apple's.
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
