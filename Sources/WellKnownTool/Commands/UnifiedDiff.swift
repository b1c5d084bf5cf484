/// Writes the differences of two texts as a unified diff, which `patch` and `git apply` take.
enum UnifiedDiff {
    private static let context = 3

    private struct Line {
        let mark: Character
        let bytes: ArraySlice<UInt8>
    }

    /// - Parameter isForTerminal: whether control characters are written as escapes.
    static func text(_ old: [UInt8], _ new: [UInt8], name: String, isForTerminal: Bool) -> String {
        let lines = lines(old, new)
        let changed = lines.indices.filter { lines[$0].mark != " " }
        guard !changed.isEmpty else { return "" }
        let relative = name.hasPrefix("/") ? ("", "") : ("a/", "b/")
        var text = "--- \(relative.0)\(name.printable)\n+++ \(relative.1)\(name.printable)\n"
        var rest = changed[...]
        while let first = rest.first {
            var last = first
            while let next = rest.first, next - last <= 2 * context { (last, rest) = (next, rest.dropFirst()) }
            let range = max(0, first - context)..<min(lines.count, last + context + 1)
            text += header(range, lines) + lines[range].map { written($0, isForTerminal) }.joined()
        }
        return text
    }

    private static func lines(_ old: [UInt8], _ new: [UInt8]) -> [Line] {
        let (old, new) = (split(old), split(new))
        var (removed, inserted): (Set<Int>, Set<Int>) = ([], [])
        for change in new.difference(from: old) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        var (lines, left, right): ([Line], Int, Int) = ([], 0, 0)
        while left < old.count || right < new.count {
            if removed.contains(left) {
                lines.append(Line(mark: "-", bytes: old[left]))
                left += 1
            } else if inserted.contains(right) {
                lines.append(Line(mark: "+", bytes: new[right]))
                right += 1
            } else {
                lines.append(Line(mark: " ", bytes: old[left]))
                (left, right) = (left + 1, right + 1)
            }
        }
        return lines
    }

    /// The lines with their line breaks.
    private static func split(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
        var (lines, rest): ([ArraySlice<UInt8>], ArraySlice<UInt8>) = ([], text[...])
        while let end = rest.firstIndex(of: 0x0a) {
            lines.append(rest[...end])
            rest = rest[(end + 1)...]
        }
        return rest.isEmpty ? lines : lines + [rest]
    }

    private static func header(_ range: Range<Int>, _ lines: [Line]) -> String {
        func part(_ other: Character) -> String {
            let count = lines[range].count { $0.mark != other }
            let start = lines[..<range.lowerBound].count { $0.mark != other }
            return "\(count == 0 ? start : start + 1),\(count)"
        }
        return "@@ -\(part("+")) +\(part("-")) @@\n"
    }

    private static func written(_ line: Line, _ isForTerminal: Bool) -> String {
        let isWhole = line.bytes.last == 0x0a
        let text = String(decoding: isWhole ? line.bytes.dropLast() : line.bytes, as: UTF8.self)
        let end = isWhole ? "\n" : "\n\\ No newline at end of file\n"
        return "\(line.mark)\(isForTerminal ? text.printable : text)\(end)"
    }
}
