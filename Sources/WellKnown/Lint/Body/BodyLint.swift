import SSOShared

/// Reports a body that is another file.
enum BodyLint {
    static func check(_ form: BodyForm, hasContent: Bool, kind: AssociationKind, into findings: inout FindingCollector)
    {
        switch form {
        case .text: break
        case .empty: findings.add(BodyRules.empty, "The body is empty")
        case .html(let title):
            let shown = title.map { " with the title \($0.quoted)" } ?? ""
            findings.add(BodyRules.html, "The body is a page\(shown), not JSON")
        case .symlink(let target):
            findings.add(BodyRules.symlink, "The body is the path \(target.quoted): a symbolic link, deployed as text")
        case .rtf: findings.add(BodyRules.rtf, "The body is an RTF document")
        case .signed(let signed):
            let content =
                hasContent ? "what follows is about the content inside" : "the content could not be found in it"
            findings.add(
                BodyRules.signed, "The file is signed (PKCS#7, \(signed.rawValue)); \(content)",
                severity: kind == .aasa && hasContent ? .warning : .error)
        case .lfsPointer: findings.add(BodyRules.lfsPointer, "The body is a Git LFS pointer")
        case .mergeConflict(let offset):
            findings.add(BodyRules.mergeConflict, at: offset, "A merge conflict begins here")
        case .frontMatter: findings.add(BodyRules.frontMatter, "The file begins with front matter (---)")
        case .jsModule: findings.add(BodyRules.jsModule, "The body is JavaScript, not JSON")
        case .gzip: findings.add(TransportRules.encoding, "The body is gzip, not text", severity: .error)
        }
    }
}

enum SizeLint {
    static func check(_ count: Int, kind: AssociationKind, into findings: inout FindingCollector) {
        let most = kind.maximumBytes
        if count > most {
            findings.add(TransportRules.tooLarge, "\(count) bytes; no more than \(most) are read")
        } else if count > most / 4 * 3 {
            findings.add(TransportRules.nearLimit, "\(count) bytes, more than 75 % of the \(most) that are read")
        }
    }
}

/// Checks the type of the root value.
enum RootLint {
    /// - Returns: whether further checks are possible.
    static func check(_ document: JSONDocument, kind: AssociationKind, into findings: inout FindingCollector) -> Bool {
        guard let root = document.root else { return false }
        if let text = root.string, JSONReader.read(text.utf8).root.map({ $0.array != nil || $0.object != nil }) == true
        {
            findings.add(BodyRules.doubleEncoded, at: root, "The root is a string that holds JSON")
            return false
        }
        if isOther(root, kind) {
            findings.add(BodyRules.swapped, at: root, "This is the content of \(kind.other.fileName)")
            return false
        }
        switch kind {
        case .aasa:
            guard root.object == nil else { return true }
            let isWrapped = root.array?.first?.object?.contains { AASAFile.services.contains($0.key) } == true
            findings.add(
                JSONRules.root, at: root, "The root is \(root.typeName); it must be an object",
                reason: "The file is an object that has the services. With another type, the whole file has no effect.",
                fix: isWrapped
                    ? "Take the services out of [ ]." : "Write the services as an object: {\"applinks\": {…}}.")
        case .assetlinks:
            guard root.array == nil else { return true }
            let isStatement = root.object?.contains { AssetStatement.keys.contains($0.key) } == true
            findings.add(
                JSONRules.root, at: root, "The root is \(root.typeName); it must be an array",
                reason: "The file is a list of statements. With another type, the whole file has no effect.",
                fix: isStatement
                    ? "Put the statement into [ ]." : "Write a list: [{\"relation\": […], \"target\": {…}}].")
        }
        return false
    }

    private static func isOther(_ root: JSONNode, _ kind: AssociationKind) -> Bool {
        switch kind {
        case .assetlinks: root.object?.contains { AASAFile.services.contains($0.key) } == true
        case .aasa:
            (root.array?.first ?? root).object?.contains { AssetStatement.keys.contains($0.key) } == true
                && root.object?.contains { AASAFile.services.contains($0.key) } != true
        }
    }
}
