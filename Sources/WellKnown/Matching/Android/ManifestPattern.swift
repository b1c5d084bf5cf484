import SSOShared

/// One path attribute of an intent filter, compiled for matching.
///
/// None of its kinds backtracks: each step matches as much as possible, or stops at the first place where the next
/// character occurs. Source: AOSP, `android.os.PatternMatcher`.
struct ManifestPattern: Sendable {
    private struct Step: Sendable {
        enum Accepts: Sendable {
            case any
            case scalar(Unicode.Scalar)
            case ranges([ClosedRange<UInt32>], isNegated: Bool)
        }

        var accepts: Accepts
        var least = 1
        var most = 1
    }

    private enum Form: Sendable {
        case literal([Unicode.Scalar])
        case prefix([Unicode.Scalar])
        case suffix([Unicode.Scalar])
        /// Greedy steps. With `stops`, a repeated "any" ends at the first character that the next step matches.
        case steps([Step], stops: Bool)
        /// An ill-formed pattern. Android throws when the app is installed or the filter is matched.
        case never
    }

    private let form: Form

    init(_ path: ManifestPath) {
        let scalars = Array(path.text.unicodeScalars)
        switch path.kind {
        case .path: form = .literal(scalars)
        case .pathPrefix: form = .prefix(scalars)
        case .pathSuffix: form = .suffix(scalars)
        case .pathPattern: form = .steps(Self.simple(scalars), stops: true)
        case .pathAdvancedPattern: form = Self.advanced(scalars).map { .steps($0, stops: false) } ?? .never
        }
    }

    var isIllFormed: Bool { if case .never = form { true } else { false } }

    /// Whether a text that begins with a slash can match, as every path does.
    var mayBeginWithSlash: Bool {
        switch form {
        case .literal(let text), .prefix(let text): text.isEmpty || text.first == "/"
        case .suffix: true
        case .never: false
        case .steps(let steps, _):
            steps.first { $0.least > 0 }.map { Self.accepts($0, "/") } ?? true
                || steps.prefix { $0.least == 0 }.contains { Self.accepts($0, "/") }
        }
    }

    func matches(_ text: [Unicode.Scalar]) -> Bool {
        switch form {
        case .literal(let literal): text == literal
        case .prefix(let prefix): text.starts(with: prefix)
        case .suffix(let suffix): text.reversed().starts(with: suffix.reversed())
        case .steps(let steps, let stops): Self.matches(text, steps, stops: stops)
        case .never: false
        }
    }

    private static func matches(_ text: [Unicode.Scalar], _ steps: [Step], stops: Bool) -> Bool {
        var at = 0
        for (index, step) in steps.enumerated() {
            // AOSP: at the end of the text, of the simple pattern only a last ".*" may be left.
            if stops, at == text.count {
                if case .any = step.accepts, step.most > 1, index + 1 == steps.count { return true }
                return false
            }
            let next = stops && step.most > 1 && index + 1 < steps.count ? steps[index + 1] : nil
            var count = 0
            while at < text.count, count < step.most, accepts(step, text[at]) {
                if case .any = step.accepts, let next, accepts(next, text[at]) { break }
                at += 1
                count += 1
            }
            guard count >= step.least else { return false }
        }
        return at == text.count
    }

    private static func accepts(_ step: Step, _ scalar: Unicode.Scalar) -> Bool {
        switch step.accepts {
        case .any: true
        case .scalar(let one): one == scalar
        case .ranges(let ranges, let isNegated): ranges.contains { $0.contains(scalar.value) } != isNegated
        }
    }

    /// `.` is any character, `*` repeats the character before it, `\` escapes the next character. The character after
    /// `.*` is always a plain one, also a dot: AOSP looks for its first place in the text.
    private static func simple(_ text: [Unicode.Scalar]) -> [Step] {
        var steps: [Step] = []
        var index = 0
        func isStar(_ index: Int) -> Bool { index < text.count && text[index] == "*" }
        while index < text.count {
            let isEscaped = text[index] == "\\" && index + 1 < text.count
            if isEscaped { index += 1 }
            let scalar = text[index]
            index += 1
            let isAny = scalar == "." && !isEscaped
            steps.append(Step(accepts: isAny ? .any : .scalar(scalar)))
            guard isStar(index) else { continue }
            (steps[steps.count - 1].least, steps[steps.count - 1].most) = (0, .max)
            index += 1
            guard isAny, index < text.count else { continue }
            if text[index] == "\\", index + 1 < text.count { index += 1 }
            steps.append(Step(accepts: .scalar(text[index])))
            index += 1
        }
        return steps
    }

    /// Supports everything of `simple`, and also sets `[a-z]`, `[^/]`, `+` and counts `{n}`, `{n,}`, `{n,m}`.
    private static func advanced(_ text: [Unicode.Scalar]) -> [Step]? {
        var steps: [Step] = []
        var index = 0
        while index < text.count {
            switch text[index] {
            case "\\":
                guard index + 1 < text.count else { return nil }
                index += 1
                steps.append(Step(accepts: .scalar(text[index])))
            case "*", "+":
                guard !steps.isEmpty else { return nil }
                steps[steps.count - 1].least = text[index] == "*" ? 0 : 1
                steps[steps.count - 1].most = .max
            case "{":
                guard !steps.isEmpty, let end = text[index...].firstIndex(of: "}"),
                    let count = counts(text[(index + 1)..<end])
                else { return nil }
                steps[steps.count - 1].least = count.lowerBound
                steps[steps.count - 1].most = count.upperBound
                index = end
            case "[":
                guard let end = text[index...].firstIndex(of: "]") else { return nil }
                steps.append(Step(accepts: set(text[(index + 1)..<end])))
                index = end
            case ".": steps.append(Step(accepts: .any))
            default: steps.append(Step(accepts: .scalar(text[index])))
            }
            index += 1
        }
        return steps
    }

    private static func counts(_ text: ArraySlice<Unicode.Scalar>) -> ClosedRange<Int>? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
            .map { String(String.UnicodeScalarView($0)) }
        guard let low = parts.first.flatMap({ Int($0) }), low >= 0, parts.count <= 2 else { return nil }
        guard parts.count == 2 else { return low...low }
        guard !parts[1].isEmpty else { return low...Int.max }
        guard let high = Int(parts[1]), high >= low else { return nil }
        return low...high
    }

    private static func set(_ text: ArraySlice<Unicode.Scalar>) -> Step.Accepts {
        let isNegated = text.first == "^"
        let members = Array(isNegated ? text.dropFirst() : text)
        var ranges: [ClosedRange<UInt32>] = []
        var index = 0
        while index < members.count {
            let low = members[index].value
            if index + 2 < members.count, members[index + 1] == "-" {
                let high = members[index + 2].value
                ranges.append(min(low, high)...max(low, high))
                index += 3
            } else {
                ranges.append(low...low)
                index += 1
            }
        }
        return .ranges(ranges, isNegated: isNegated)
    }
}
