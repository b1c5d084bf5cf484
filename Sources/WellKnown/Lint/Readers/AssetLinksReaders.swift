public import SSOShared

/// The results of all readers for one file. Where they differ, it works in one reader and silently fails in another.
public struct AssetLinksReaders: Sendable {
    /// An app of the file, and the result of each reader for it.
    public struct Row: Sendable {
        public let package: String
        /// Upper-case pairs joined by colons, as a device writes it, if the file's text is a fingerprint.
        public let fingerprint: String
        public let relation: String
        /// One verdict per reader, in the order of ``AssetLinksReader/allCases``.
        public let verdicts: [ReaderVerdict]
    }

    private let document: JSONDocument
    private let file: AssetLinksFile?
    private let lists: [ReaderList]

    /// Accepts any document. If it is not a list, every reader reports that.
    public init(_ document: JSONDocument) {
        // Android's parser goes on where the others end.
        let document = document.root == nil ? JSONReader.read(document.text, asAndroid: true) : document
        self.init(document, AssetLinksFile(document))
    }

    public init(_ file: AssetLinksFile) { self.init(file.document, file) }

    private init(_ document: JSONDocument, _ file: AssetLinksFile?) {
        self.document = document
        self.file = file
        lists = AssetLinksReader.allCases.map { ReaderList($0, document, file) }
    }

    /// Returns whether an app is linked, for each reader.
    ///
    /// - Parameters:
    ///   - fingerprint: the SHA-256 of the certificate that the installed app is signed with, as a device writes it:
    ///     upper-case pairs joined by colons.
    ///   - relation: the relation. The default is `delegate_permission/common.handle_all_urls`.
    public func verdicts(
        package: String, fingerprint: String, relation: String = "delegate_permission/common.handle_all_urls"
    ) -> [ReaderVerdict] {
        lists.map { verdict(of: $0, package: package, fingerprint: fingerprint, relation: relation) }
    }

    /// Every app of the file with each of its fingerprints and relations, in the order of the file.
    ///
    /// - Parameter limit: the maximum number of rows. Each row searches all statements of its package.
    public func table(limit: Int = 500) -> [Row] {
        var seen: Set<[String]> = []
        var rows: [Row] = []
        for statement in file?.statements ?? [] {
            guard let target = statement.target.value, let package = target.packageName.value else { continue }
            let relations = statement.relations.isEmpty ? [RelationNames.handleAllURLs] : statement.relations
            for node in target.fingerprints.value ?? [] {
                guard let text = node.string else { continue }
                let fingerprint = FingerprintReading(text).corrected ?? text
                for relation in relations where seen.insert([package, fingerprint, relation]).inserted {
                    guard rows.count < limit else { return rows }
                    rows.append(
                        Row(
                            package: package, fingerprint: fingerprint, relation: relation,
                            verdicts: verdicts(package: package, fingerprint: fingerprint, relation: relation)))
                }
            }
        }
        return rows
    }

    private func verdict(of list: ReaderList, package: String, fingerprint: String, relation: String) -> ReaderVerdict {
        if let void = list.void {
            let reason = "It drops the list: \(void.reason)."
            return says(list, .listVoid, reason, statement: void.statement, at: void.node, isSure: void.isSure)
        }
        guard list.reader.asks(for: relation) else { return says(list, .notAsked, "It never asks for \(relation).") }
        let grants = list.grants[package] ?? []
        let asked = grants.filter { $0.relations.contains(relation) }
        if let grant = asked.first(where: { $0.fingerprints.contains(fingerprint) }) {
            return says(list, .works, "Statement \(grant.statement + 1) names it.", statement: grant.statement)
        }
        if let grant = asked.first(where: {
            $0.fingerprints.contains { FingerprintReading($0).corrected == fingerprint }
        }) {
            let reason = "It compares the text, and the fingerprint is written in another way."
            return says(list, .refused, reason, statement: grant.statement)
        }
        if let skipped = list.skipped[package] {
            let reason = "It skips statement \(skipped.statement + 1): \(skipped.reason)."
            return says(list, .refused, reason, statement: skipped.statement, at: skipped.node)
        }
        if let grant = asked.first {
            let reason =
                list.reader == .duckDuckGo
                ? "It keeps the last statement of a package, which does not list the fingerprint."
                : "The fingerprint is not listed."
            return says(list, .refused, reason, statement: grant.statement)
        }
        if let grant = grants.first, list.replaced[package]?.contains(relation) ?? false {
            let reason = "It keeps the last statement of a package, which does not grant \(relation)."
            return says(list, .refused, reason, statement: grant.statement)
        }
        if let grant = grants.first {
            return says(list, .refused, "No statement grants \(relation).", statement: grant.statement)
        }
        let tail = list.includes > 0 && list.reader != .chrome ? " (Included lists were not looked at.)" : ""
        return says(list, .refused, "No statement names \(package)." + tail, isSure: tail.isEmpty)
    }

    private func says(
        _ list: ReaderList, _ outcome: ReaderVerdict.Outcome, _ reason: String, statement: Int? = nil,
        at node: JSONNode? = nil, isSure: Bool = true
    ) -> ReaderVerdict {
        let place = node ?? statement.flatMap { file?.statements[$0].node }
        let doubt = outcome == .works ? list.doubt : nil
        return ReaderVerdict(
            reader: list.reader, outcome: outcome, isSure: isSure && doubt == nil,
            reason: reason + (doubt.map { " \($0)." } ?? ""), statement: statement,
            position: place.map { document.position(at: $0.range.lowerBound) },
            pointer: place.map { document.pointer(at: $0.range.lowerBound) })
    }

    /// Statements with errors for which some readers reject the whole list, although its other apps work in other readers.
    public var findings: [Finding] {
        var collector = FindingCollector(document)
        report(to: &collector)
        return collector.sorted
    }

    func report(to findings: inout FindingCollector) {
        guard let file, let google = lists.first(where: { $0.reader == .google }), google.void == nil else { return }
        var told: [Int: (names: [String], node: JSONNode, reason: String)] = [:]
        for list in lists {
            // Includes have a finding of their own.
            guard let void = list.void, let index = void.statement, let node = void.node,
                file.statements[index].include.isAbsent,
                // Dynamic rules need what an older parser refuses. Their findings say which versions read them.
                file.statements[index].relationExtensions.member?.value.range.contains(node.range.lowerBound) != true
            else { continue }
            told[index, default: ([], node, void.reason)].names.append(list.reader.name)
        }
        for (index, item) in told {
            // An app of the statement itself counts where Google takes it.
            let others = google.grants.count
            guard others > 0 else { continue }
            findings.add(
                StatementRules.readersDiffer, at: item.node,
                "Statement \(index + 1) makes \(item.names.joined(separator: ", ")) drop the whole list, with \(others) "
                    + "sound \(others == 1 ? "app" : "apps"): \(item.reason).")
        }
    }
}
