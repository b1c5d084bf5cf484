import SSOShared

/// Turns parser errors into findings: one finding per cause, not one per position.
enum JSONErrorLint {
    static func check(_ document: JSONDocument, kind: AssociationKind, into findings: inout FindingCollector) {
        let faults = document.errors
        // A file that was pasted from a web page has a no-break space on every line. That is one finding.
        var firsts: Set<String> = []
        let counts = Dictionary(faults.map { (rule(for: $0.kind).code, 1) }, uniquingKeysWith: +)
        let quotes = faults.count { $0.kind == .singleQuotes }
        let isOtherEncoding = faults.contains { if case .encoding = $0.kind { true } else { false } }
        for fault in faults {
            switch fault.kind {
            case .byteOrderMark where isOtherEncoding: continue
            case .trailingComma:
                findings.add(
                    JSONRules.trailingComma, at: fault.offset, message(fault, kind),
                    severity: kind == .aasa ? .warning : .error,
                    reason: reason(JSONRules.trailingComma, kind, document),
                    fix: FindingFix([.json(fault.offset..<fault.offset + 1, "")]))
            case .duplicateKey(let key):
                findings.add(
                    JSONRules.duplicateKey, at: fault.offset, "The key \(key.quoted) is already in this object",
                    fix: document.isRepeatedMember(at: fault.offset)
                        ? .remove(at: fault.offset, words: "Remove one of the two: they are equal.") : nil)
            case .tooLong: continue
            case .syntax, .badString, .trailingContent:
                if let quote = smartQuote(before: fault, in: document.text) {
                    guard firsts.insert(JSONRules.smartQuotes.code).inserted else { continue }
                    findings.add(
                        JSONRules.smartQuotes, at: quote,
                        "A typographic quotation mark where a plain one belongs; the text after it cannot be read")
                } else {
                    findings.add(
                        JSONRules.invalid, at: fault.offset, message(fault, kind),
                        reason: reason(JSONRules.invalid, kind, document))
                }
            default:
                let rule = rule(for: fault.kind)
                // A file with single quotes usually has them everywhere.
                let isQuote = fault.kind == .singleQuotes
                let same = isQuote ? quotes : counts[rule.code, default: 1]
                let isRepeated = same > 1 && (rule != JSONRules.invalid || isQuote)
                guard !isRepeated || firsts.insert(isQuote ? "'" : rule.code).inserted else { continue }
                let more = isRepeated ? " (\(same) times in all)" : ""
                findings.add(
                    rule, at: fault.offset, message(fault, kind) + more, reason: reason(rule, kind, document),
                    fix: fix(fault, rule, document, kind))
            }
        }
    }

    /// What the error does to this file. `nil` for the reason of the rule.
    private static func reason(_ rule: LintRule, _ kind: AssociationKind, _ document: JSONDocument) -> String? {
        switch (rule.code, kind) {
        case (JSONRules.invalid.code, .aasa):
            "One wrong character disables every rule. Apple's CDN reports SWCERR00401, and no link opens the app."
        case (JSONRules.invalid.code, .assetlinks)
        where document.root == nil && JSONReader.read(document.text, asAndroid: true).root != nil:
            "Google's service takes the list for none. Android's own parser may read it, so the result differs from phone to phone."
        case (JSONRules.invalid.code, .assetlinks):
            "One wrong character disables every statement: Google's service and Android's verifier take the list for none."
        case (JSONRules.trailingComma.code, .assetlinks): "Google's and most other readers reject the whole file."
        case (JSONRules.trailingComma.code, .aasa):
            "Live files and WebKit show that Apple's reader accepts it, and no document confirms it. Other readers reject "
                + "the whole file."
        case (JSONRules.byteOrderMark.code, .assetlinks), (JSONRules.encoding.code, .assetlinks):
            "A strict parser stops at the first byte."
        case (JSONRules.deep.code, .assetlinks): "Parsers have a limit, and reject a file with more levels."
        default: nil
        }
    }

    private static func fix(
        _ fault: JSONError, _ rule: LintRule, _ document: JSONDocument, _ kind: AssociationKind
    ) -> FindingFix? {
        switch fault.kind {
        // A component of Apple's file has a key for comments. A statement has none.
        case .comment: return kind == .assetlinks ? "Remove the comment." : nil
        case .byteOrderMark: return FindingFix([.json(0..<0, "")])
        case .invisible:
            return FindingFix(
                document.errors.compactMap { error in
                    guard case .invisible(let value) = error.kind, let scalar = Unicode.Scalar(value) else {
                        return nil
                    }
                    let blank = scalar.properties.isWhitespace ? " " : ""
                    return .json(error.offset..<error.offset + UTF8.width(scalar), blank)
                })
        default: return nil
        }
    }

    private static func rule(for kind: JSONError.Kind) -> LintRule {
        switch kind {
        case .byteOrderMark: JSONRules.byteOrderMark
        case .encoding: JSONRules.encoding
        case .trailingComma: JSONRules.trailingComma
        case .comment: JSONRules.comment
        case .smartQuote: JSONRules.smartQuotes
        case .invisible: JSONRules.invisible
        case .duplicateKey: JSONRules.duplicateKey
        case .tooDeep: JSONRules.deep
        case .tooLong, .singleQuotes, .badString, .loneSurrogate, .badNumber, .trailingContent, .syntax:
            JSONRules.invalid
        }
    }

    private static func message(_ fault: JSONError, _ kind: AssociationKind) -> String {
        let first = fault.message.prefix(1).uppercased() + fault.message.dropFirst()
        guard fault.kind == .trailingComma, kind == .aasa else { return first }
        return first + " (Apple's own reader is said to let it pass)"
    }

    /// The offset of a typographic quotation mark directly before the position of the error. The mark is then the
    /// cause, and the finding does not describe what the parser expected.
    private static func smartQuote(before fault: JSONError, in text: [UInt8]) -> Int? {
        var index = min(fault.offset + 3, text.count)
        let start = max(0, fault.offset - 400)
        while index > start {
            index -= 1
            // U+2018 to U+201F are E2 80 98 to E2 80 9F.
            guard text[index] == 0xe2, index + 2 < text.count else { continue }
            if text[index + 1] == 0x80, (0x98...0x9f).contains(text[index + 2]) { return index }
        }
        return nil
    }
}

/// Reports invisible characters inside strings. The JSON reader reports those between values.
enum InvisibleLint {
    static func check(_ document: JSONDocument, into findings: inout FindingCollector) {
        // Such a character is a non-ASCII byte or an escape. Most files have neither.
        guard let root = document.root, document.text.contains(where: { $0 >= 0x80 || $0 == UInt8(ascii: "\\") })
        else { return }
        walk(root, isRemark: false, into: &findings)
    }

    /// The recursion is limited by the depth that the parser accepts.
    private static func walk(_ node: JSONNode, isRemark: Bool, into findings: inout FindingCollector) {
        switch node.value {
        case .string(let text): check(text, node.range, isRemark: isRemark, into: &findings)
        case .array(let items): for item in items { walk(item, isRemark: isRemark, into: &findings) }
        case .object(let members):
            for member in members {
                check(member.key, member.keyRange, isKey: true, isRemark: isRemark, into: &findings)
                walk(member.value, isRemark: isRemark || AASALint.isRemark(member.key), into: &findings)
            }
        default: break
        }
    }

    private static func check(
        _ text: String, _ range: Range<Int>, isKey: Bool = false, isRemark: Bool, into findings: inout FindingCollector
    ) {
        guard !isRemark, text.utf8.contains(where: { $0 >= 0x80 }),
            let scalar = text.unicodeScalars.first(where: JSONReader.isInvisible)
        else { return }
        findings.add(
            JSONRules.invisible, at: place(of: scalar, in: range, findings.document.text),
            "U+\(JSONError.hex(scalar.value)) cannot be seen, and is inside \(text.quoted)",
            fix: isKey ? nil : fix(text, range))
    }

    /// The text without the characters, if nothing else in it may be wrong. A blank inside it may be meant as one.
    private static func fix(_ text: String, _ range: Range<Int>) -> FindingFix? {
        let bare = PackageName.trimmed(text).unicodeScalars.filter {
            !JSONReader.isInvisible($0) || $0.properties.isWhitespace
        }
        let clean = String(String.UnicodeScalarView(bare))
        return clean.utf8.allSatisfy { $0 < 0x80 } ? FindingFix([.string(range, clean)]) : nil
    }

    /// The position of the character, or of the string if the character is escaped.
    private static func place(of scalar: Unicode.Scalar, in range: Range<Int>, _ text: [UInt8]) -> Int {
        let bytes = Array(String(scalar).utf8)
        let slice = text[range.clamped(to: text.indices)]
        return slice.indices.first { slice[$0...].starts(with: bytes) } ?? range.lowerBound
    }
}
