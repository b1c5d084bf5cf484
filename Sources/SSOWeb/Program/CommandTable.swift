/// What a command prints for people: columns as wide as their widest cell, no lines and no colours.
public enum CommandTable {
    /// The rows under their header, one line each. Characters that a terminal would obey are escaped.
    public static func text(_ header: [String], _ rows: [[String]]) -> String {
        let rows = ([header] + rows).map { $0.map(LogEscape.text) }
        let widths = header.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }
}
