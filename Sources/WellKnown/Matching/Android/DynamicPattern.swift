/// A pattern of a dynamic app link component.
///
/// `*` matches characters up to the first one that equals the next character of the pattern, without backtracking. `?`
/// matches one character. Source: Google, "Configure assetlinks.json"; AOSP, `PatternMatcher`.
struct DynamicPattern: Sendable {
    enum Step: Sendable, Hashable {
        case scalar(Unicode.Scalar)
        case one
        case star
    }

    let source: String
    let steps: [Step]
    /// The pattern if a wildcard right after a star is plain and stops the star. `nil` if no wildcard follows a star.
    let literalSteps: [Step]?

    /// - Parameter literal: literal text before the pattern.
    init(_ source: String, after literal: String = "") {
        self.source = source
        var steps: [Step] = literal.unicodeScalars.map { .scalar($0) }
        for scalar in source.unicodeScalars {
            switch scalar {
            case "*": if steps.last != .star { steps.append(.star) }
            // `*?` equals `?*`: at least one character. A star is therefore always followed by a character or the end.
            case "?": if steps.last == .star { steps.insert(.one, at: steps.count - 1) } else { steps.append(.one) }
            default: steps.append(.scalar(scalar))
            }
        }
        self.steps = steps
        literalSteps = Self.literalSteps(source, after: literal)
    }

    private static func literalSteps(_ source: String, after literal: String) -> [Step]? {
        var steps: [Step] = literal.unicodeScalars.map { .scalar($0) }
        var hasAny = false
        for scalar in source.unicodeScalars {
            switch scalar {
            case "*" where steps.last == .star, "?" where steps.last == .star:
                steps.append(.scalar(scalar))
                hasAny = true
            case "*": steps.append(.star)
            case "?": steps.append(.one)
            default: steps.append(.scalar(scalar))
            }
        }
        return hasAny ? steps : nil
    }

    func matches(_ text: [Unicode.Scalar], _ assumptions: DynamicAssumptions) -> Bool {
        let steps = assumptions.readsNextLiterally ? literalSteps ?? steps : steps
        return Self.matches(text, steps, goesBack: assumptions.goesBack)
    }

    /// - Parameter goesBack: whether a star backtracks if the rest does not match, like Apple's star.
    func matches(_ text: [Unicode.Scalar], goesBack: Bool = false) -> Bool {
        Self.matches(text, steps, goesBack: goesBack)
    }

    private static func matches(_ text: [Unicode.Scalar], _ steps: [Step], goesBack: Bool) -> Bool {
        var step = 0
        var at = 0
        var retry: (step: Int, at: Int)?
        while true {
            let stays: Bool
            if step == steps.count {
                if at == text.count { return true }
                stays = false
            } else {
                switch steps[step] {
                case .star:
                    if step + 1 == steps.count { return true }
                    guard case .scalar(let next) = steps[step + 1],
                        let found = text[at...].firstIndex(of: next)
                    else { return false }
                    retry = goesBack ? (step, found + 1) : nil
                    step += 2
                    at = found + 1
                    continue
                case .one: stays = at < text.count
                case .scalar(let scalar): stays = at < text.count && text[at] == scalar
                }
            }
            if stays {
                step += 1
                at += 1
            } else if let last = retry {
                step = last.step
                at = last.at
            } else {
                return false
            }
        }
    }
}
