import WellKnown

/// What the services say, in a line for people, good news included.
enum ServiceNotes {
    static func notes(_ answer: AppleCDNAnswer) -> [String] {
        switch answer {
        case .copy(let body, let from, let age, let maxAge):
            var text = "Apple's CDN has a copy of \(body.count) bytes"
            if let from { text += " from \(from)" }
            if let age { text += ", fetched \(age) s ago" }
            if let maxAge { text += ", kept for \(maxAge) s" }
            return [text + "."]
        case .failure(let failure, _):
            return ["Apple's CDN has a failure instead of a copy: \(failure.code) \(failure.reason)."]
        case .unknown, .unreachable: return []
        }
    }

    static func notes(_ answer: GoogleLinksAnswer) -> [String] {
        guard case .answer(let statements, _, _, let maxAge) = answer else { return [] }
        let kept = maxAge.map { ", kept for \($0)" } ?? ""
        return ["Google's service has \(statements.count) statement\(statements.count == 1 ? "" : "s")\(kept)."]
    }
}
