/// Finds settings that nobody reads: a misspelt name would otherwise be a default that nobody chose.
struct UnknownSettings {
    /// Every name that means something to one of the programs.
    let known: Set<String>

    /// - Parameters:
    ///   - known: the names of the settings.
    ///   - secrets: those which may also come as `NAME_FILE`.
    init(known: [String], secrets: [String]) {
        self.known = Set(known + secrets + secrets.map { $0 + "_FILE" })
    }

    /// The warning for a name, nil for one that is known.
    func warning(_ name: String, place: String) -> String? {
        guard !known.contains(name) else { return nil }
        let hint = nearest(to: name).map { " Did you mean \($0)?" } ?? ""
        return "\(name): there is no such setting; it stands in \(place) and does nothing.\(hint)"
    }

    /// The known name that one gets to with the fewest slips, if they are few.
    private func nearest(to name: String) -> String? {
        let closest = known.sorted().map { ($0, Self.distance(name, $0)) }.min { $0.1 < $1.1 }
        return closest.flatMap { $0.1 <= max(2, name.utf8.count / 4) ? $0.0 : nil }
    }

    /// How many letters must be put in, left out or changed to make one of the other (Levenshtein).
    static func distance(_ one: String, _ other: String) -> Int {
        let target = Array(other.utf8)
        var row = Array(0...target.count)
        for (index, byte) in one.utf8.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in target.indices {
                let changed = diagonal + (target[column] == byte ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(changed, diagonal + 1, row[column] + 1)
            }
        }
        return row[target.count]
    }
}
