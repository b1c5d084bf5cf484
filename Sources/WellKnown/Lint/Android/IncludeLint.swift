import SSOShared

/// What is wrong with an `include`, as far as one file can tell.
enum IncludeLint {
    /// Of Google's service, for the complete tree of lists.
    static let budget = 10

    /// - Parameter isSecure: the list itself is served over https, as Android and Google ask for it.
    /// - Returns: the address, when it is one that could be fetched.
    static func lint(_ statement: AssetStatement, isSecure: Bool, pen: inout FindingPen) -> String? {
        guard let member = statement.include.member else { return nil }
        // {"include": {"paths": […]}}: a blog's invention, which no reader knows. It stands beside relation and target
        // there, and makes the statement invalid with them.
        if member.value["paths"] != nil {
            pen.note(
                DynamicRules.bogusSchema,
                "include.paths is read by nobody; include is the address of another list, and stands alone.",
                atKey: member)
            return nil
        }
        let others = [statement.relation.member, statement.target.member, statement.relationExtensions.member]
        if let other = others.lazy.compactMap({ $0?.key }).first {
            pen.note(
                StatementRules.includeWithTarget, "include stands together with \(other): neither is read.",
                atKey: member)
            return nil
        }
        guard let text = statement.include.value else {
            pen.note(
                StatementRules.includeSyntax, "include is \(member.value.typeName); it must be an address.",
                at: member.value)
            return nil
        }
        do {
            let address = try SiteAddress(text)
            guard isSecure, address.scheme == "http" else { return text }
            pen.note(
                StatementRules.includeInsecure, "\(text.quoted) is http; a list served over https cannot include it.",
                at: member.value)
        } catch {
            pen.note(
                StatementRules.includeSyntax, "include \(text.quoted) is no web address: \(error).", at: member.value)
        }
        return nil
    }

    /// A list that includes itself. A loop over others shows only when they are fetched.
    static func lintLoops(
        _ includes: [(statement: AssetStatement, address: String)], host: String, pen: inout FindingPen
    ) {
        for (statement, text) in includes {
            guard let address = try? SiteAddress(text), address.origin == "https://\(host.lowercased())",
                address.rest == AssetLinks.path, let node = statement.include.member?.value
            else { continue }
            pen.note(StatementRules.includeLoop, "The list of \(host) includes itself.", at: node)
        }
    }
}
