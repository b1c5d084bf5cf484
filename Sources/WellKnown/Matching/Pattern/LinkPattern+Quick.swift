import SSOShared

extension LinkPattern {
    /// Whether the text matches. False if the effort is spent, which the caller must check.
    func matches(_ text: LinkText, _ effort: inout MatchEffort) -> Bool {
        if isAnything { return true }
        guard canMatch, text.count >= shortest else { return false }
        if let literal { return literal.count == text.count && begins(text, with: literal) }
        guard begins(text, with: prefix), ends(text, with: suffix) else { return false }
        if isPrefix {
            return bareCount == nil || text.count == prefix.count || text.bytes[text.lower + prefix.count] == 0x2f
        }
        if isShort, text.isASCII, let answer = quickly(text, &effort) { return answer }
        return thoroughly(text, &effort)
    }

    @inline(__always) private func begins(_ text: LinkText, with prefix: [UInt8]) -> Bool {
        guard text.count >= prefix.count else { return false }
        for index in prefix.indices where text.bytes[text.lower + index] != prefix[index] { return false }
        return true
    }

    @inline(__always) private func ends(_ text: LinkText, with suffix: [UInt8]) -> Bool {
        guard text.count >= suffix.count else { return false }
        let start = text.upper - suffix.count
        for index in suffix.indices where text.bytes[start + index] != suffix[index] { return false }
        return true
    }

    /// The quick search: step by step, with backtracking to the last star. `nil` if that takes too long.
    private func quickly(_ text: LinkText, _ effort: inout MatchEffort) -> Bool? {
        var search = Search(pattern: self, text: text, end: bareCount ?? code.count, left: 32 * text.count + 1024)
        defer { effort.left -= 1024 + 32 * text.count - search.left }
        var outcome = search.run(0, text.lower)
        if bareCount != nil, outcome == .failed || outcome == .hopeless {
            search.end = code.count
            outcome = search.run(0, text.lower)
        }
        return outcome == .tooLong ? nil : outcome == .found
    }

    private struct Search {
        enum Outcome {
            case found
            case failed
            /// No later start can succeed either.
            case hopeless
            case tooLong
        }

        let pattern: LinkPattern
        let text: LinkText
        var end: Int
        var left: Int

        mutating func run(_ start: Int, _ from: Int) -> Outcome {
            var step = start
            var at = from
            while step < end {
                left -= 1
                let code = pattern.code[step]
                if code.rawValue < 0x100 {
                    guard at < text.upper, UInt32(text.bytes[at]) == code.rawValue else { return .failed }
                    at += 1
                } else if code == .one {
                    guard at < text.upper else { return .failed }
                    at += 1
                } else if code == .star {
                    return star(step, at)
                } else if code == .segment {
                    return segment(step, at)
                } else if let index = code.setIndex {
                    guard at < text.upper, pattern.sets[index].contains(text.bytes[at]) else { return .failed }
                    at += 1
                } else if let index = code.listIndex {
                    return list(pattern.lists[index], step, at)
                }
                step += 1
            }
            return at == text.upper ? .found : .failed
        }

        private mutating func star(_ step: Int, _ from: Int) -> Outcome {
            if step + 1 == end { return .found }
            var at = from
            while at <= text.upper {
                if left < 0 { return .tooLong }
                let outcome = run(step + 1, at)
                guard case .failed = outcome else { return outcome }
                at += 1
            }
            // Between stars every text has a fixed length, unless there are lists. An earlier star that matches more
            // text only leaves less for this one.
            return pattern.hasLists ? .failed : .hopeless
        }

        private mutating func segment(_ step: Int, _ from: Int) -> Outcome {
            var at = from
            while true {
                if left < 0 { return .tooLong }
                let outcome = run(step + 1, at)
                if outcome == .found || outcome == .tooLong { return outcome }
                guard at < text.upper, text.bytes[at] != 0x2f else { return .failed }
                at += 1
            }
        }

        private mutating func list(_ list: ValueList, _ step: Int, _ from: Int) -> Outcome {
            var node = 0
            var at = from
            while true {
                if left < 0 { return .tooLong }
                // The search for a node among its siblings takes time.
                left -= 4
                if list.nodes[node].isEnd {
                    let outcome = run(step + 1, at)
                    guard case .failed = outcome else { return outcome }
                }
                guard at < text.upper, let child = list.child(of: node, text.bytes[at]) else { return .failed }
                node = child
                at += 1
            }
        }
    }
}
