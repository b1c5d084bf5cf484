import SSOShared

extension AASALint {
    /// Says something about keys that nobody reads.
    ///
    /// - Returns: the known keys that a misspelled one was meant to be: what is missing under them has been said.
    mutating func unknownKeys(
        _ members: [JSONMember], known: [String], in place: String, as rule: LintRule = AppleStructureRules.unknownKey
    ) -> Set<String> {
        var meant: Set<String> = []
        for member in members {
            var key: String { member.key.quoted }
            if Self.isRemark(member.key) {
                sheet.add(rule, at: member, "\(key) in \(place) is read by nobody", severity: .info)
            } else if !sheet.isFull(rule), let near = NearName.of(member.key, among: known) {
                meant.insert(near)
                let isCase = Self.isSameLetters(member.key, near)
                let rule = rule == AppleStructureRules.unknownKey && isCase ? AppleStructureRules.keyCase : rule
                sheet.add(
                    rule, at: member, "\(key) in \(place) is read by nobody; did you mean \(near.quoted)?",
                    severity: .error, fix: "Write \(near.quoted).")
            } else {
                sheet.add(rule, at: member, "\(key) in \(place) is read by nobody")
            }
        }
        return meant
    }

    /// Keys that people write remarks under: skipped, as they are meant to be.
    static func isRemark(_ key: String) -> Bool {
        key.hasPrefix("_") || key.hasPrefix("$") || key.hasPrefix("//") || key.hasPrefix("#")
            || ["comment", "comments", "description", "note", "version"].contains(key.lowercased())
    }

    private static func isSameLetters(_ left: String, _ right: String) -> Bool {
        func letters(_ text: String) -> String { text.lowercased().filter { $0 != "_" && $0 != "-" && $0 != " " } }
        return letters(left) == letters(right)
    }
}
