import Foundation

/// The fenced blocks of docs/protocol.md and of the pages beside it.
struct ProtocolPage {
    struct Block: Sendable {
        /// The heading above it, without its marks.
        let heading: String
        /// The word after the fence; empty for blocks that are no code.
        let language: String
        let text: String
        /// The comment above it says that it is not run.
        let isNotRun: Bool
    }

    static func text(of page: String = "docs/protocol.md") throws -> String {
        try String(contentsOf: TestVectors.repository.appending(path: page), encoding: .utf8)
    }

    static func blocks(of page: String = "docs/protocol.md") throws -> [Block] {
        var blocks: [Block] = []
        var (heading, above): (Substring, Substring) = ("", "")
        var open: (language: String, lines: [Substring], isNotRun: Bool)?
        for line in try text(of: page).split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                if let block = open {
                    let text = block.lines.map { "\($0)\n" }.joined()
                    blocks.append(
                        Block(
                            heading: String(heading), language: block.language, text: text, isNotRun: block.isNotRun))
                    open = nil
                } else {
                    open = (String(line.dropFirst(3)), [], above.hasPrefix("<!-- not run:"))
                }
            } else if open != nil {
                open?.lines.append(line)
            } else if line.hasPrefix("#") {
                heading = line.drop { $0 == "#" }.dropFirst()
            }
            above = line
        }
        return blocks
    }

    /// The only code block below a heading.
    static func code(below heading: String, of page: String = "docs/protocol.md") throws -> String {
        let found = try blocks(of: page).filter { $0.heading == heading && !$0.language.isEmpty && !$0.isNotRun }
        guard let block = found.first, found.count == 1 else {
            throw ProbeFailure("\(page) has \(found.count) code blocks below \"\(heading)\"")
        }
        return block.text
    }
}
