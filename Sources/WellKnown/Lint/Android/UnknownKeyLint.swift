import SSOShared

/// Keys that the format does not have: harmless notes, and misspellings that switch something off in silence.
struct UnknownKeyLint {
    /// Keys of the format that are not there because they are misspelled; told already.
    private(set) var meant: Set<String> = []

    /// - Parameters:
    ///   - known: the keys of the format in this place.
    ///   - present: those that are there.
    ///   - needed: those without which the thing is broken.
    init(
        _ members: [JSONMember], known: [String], present: [JSONMember], needed: [String], place: String,
        pen: inout FindingPen
    ) {
        let present = Set(present.map(\.key))
        // To compare a key with all names takes its time, and one object may have a hundred thousand.
        for (count, member) in members.enumerated() {
            guard !Self.isNote(member.key), count < FindingSheet.mostOfOneCode,
                let name = NearName.of(member.key, among: known)
            else {
                pen.note(StatementRules.unknownKey, "Unknown key \(member.key.quoted) in \(place).", atKey: member)
                continue
            }
            let isMissing = !present.contains(name)
            if isMissing { meant.insert(name) }
            pen.note(
                StatementRules.unknownKey, "Unknown key \(member.key.quoted) in \(place): did you mean \(name)?",
                atKey: member, severity: isMissing && needed.contains(name) ? .error : .warning,
                fix: "Write \"\(name)\".")
        }
    }

    /// `_comment`, `$schema`, `//` and the like: meant to be ignored, whatever they resemble.
    private static func isNote(_ key: String) -> Bool {
        let first = key.unicodeScalars.first
        return first == "_" || first == "$" || first == "/" || first == "#"
            || ["comment", "comments"].contains(key.lowercased())
    }
}
