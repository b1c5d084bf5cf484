import WellKnown

/// One step on the way from a link to the app, and whether it holds.
struct WhyStep: Encodable {
    enum Verdict: String, Encodable { case holds, fails, look, unknown }

    let platform: LinkPlatform
    /// The server, the copy of a service, the rule, the app or the phone.
    let step: String
    let verdict: Verdict
    let text: String
    /// What to do, with a command or a line to change.
    let next: String?

    init(_ platform: LinkPlatform, _ step: String, _ verdict: Verdict, _ text: String, next: String? = nil) {
        (self.platform, self.step, self.verdict) = (platform, step, verdict)
        (self.text, self.next) = (text, next)
    }
}

/// The answer of `why`: the steps of each system, the first that fails on top, and one next step.
struct WhyReport: Encodable {
    enum Verdict: String, Encodable { case opens, fails, undecided, nothing = "nothing asked" }

    let url: String
    let verdict: Verdict
    let steps: [WhyStep]
    let next: String?

    /// - Parameter wasAsked: whether a file was there or a server answered.
    init(url: String, steps: [WhyStep], wasAsked: Bool) {
        self.url = url
        let failing = steps.first { $0.verdict == .fails }
        let open = steps.first { $0.verdict == .unknown }
        verdict = !wasAsked ? .nothing : failing != nil ? .fails : open != nil ? .undecided : .opens
        let rank: [WhyStep.Verdict] = [.fails, .unknown, .look, .holds]
        self.steps = rank.flatMap { verdict in steps.filter { $0.verdict == verdict } }
        next = (failing ?? open ?? steps.first { $0.verdict == .look })?.next
    }

    var exitCode: Int32 {
        switch verdict {
        case .opens: 0
        case .fails: 1
        case .nothing: 2
        case .undecided: 3
        }
    }

    private static let width = 80
    private static let mostLines = 10

    /// At most ten lines of at most 80 characters.
    var text: String {
        var lines = steps.filter { $0.verdict != .holds }.map { step in
            let mark = step.verdict == .fails ? "FAILS" : step.verdict == .look ? "look" : "not known"
            return "\(mark): \(step.platform.title), \(step.step): \(step.text)"
        }
        for platform in LinkPlatform.allCases {
            let good = steps.filter { $0.verdict == .holds && $0.platform == platform }
            if !good.isEmpty { lines.append("ok: \(platform.title): \(good.map(\.step).joined(separator: ", "))") }
        }
        let result =
            switch verdict {
            case .opens: "The link opens the app."
            case .fails: "The link does not open the app."
            case .undecided: "Not decided: what is not known decides."
            case .nothing: "Nothing could be asked."
            }
        // The cause comes first. Without one, the result does.
        if verdict == .opens { lines.insert(result, at: 0) } else { lines.append(result) }
        // The cause and the next step are whole where there is room, so that a command can be copied.
        let tail = next.map { Self.wrapped("Next: \($0)", most: 4) } ?? []
        let room = Self.mostLines - tail.count
        let head = Self.wrapped(lines.removeFirst(), most: max(1, min(3, room - lines.count)))
        let rest = lines.map { Self.cut($0.printable) }
        return (head + rest.prefix(room - head.count) + tail).map { $0 + "\n" }.joined()
    }

    private static func wrapped(_ line: String, most: Int) -> [String] {
        let all = TextStyle.wrapped(line.printable, first: "", rest: "  ").split(separator: "\n").map(String.init)
        guard all.count > most else { return all.map(cut) }
        return all.prefix(most - 1).map(cut) + [cut(all[most - 1] + " …")]
    }

    private static func cut(_ line: String) -> String {
        line.count <= width ? line : String(line.prefix(width - 1)) + "…"
    }
}
