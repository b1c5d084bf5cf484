import SSOShared

/// Determines whether the systems' own parsers accept a text with errors that our parser can read.
///
/// Sources: Foundation's parsers, measured on Linux; Apple's SWCERR00401; Android's and Google's strict parsers.
enum FileAcceptance {
    /// The error for which Apple's parser rejects the whole file. `nil` if it accepts the file, or if that is unknown.
    static func appleRefusal(_ document: JSONDocument) -> JSONError? {
        document.errors.first { fault in
            switch fault.kind {
            case .byteOrderMark, .encoding, .trailingComma, .duplicateKey: false
            default: true
            }
        }
    }

    /// The error for which every reader of asset links rejects the list.
    static func androidRefusal(_ document: JSONDocument) -> JSONError? {
        document.errors.first { fault in
            if case .duplicateKey = fault.kind { false } else { fault.kind != .byteOrderMark }
        }
    }

    /// Open questions about a file that Apple's parser may accept, if they could change the decision.
    static func appleDisputes(_ document: JSONDocument, _ decision: LinkDecision) -> [LinkDispute] {
        guard decision != .noMatch else { return [] }
        var disputes: [LinkDispute] = []
        func isThere(_ test: (JSONError.Kind) -> Bool) -> Bool { document.errors.contains { test($0.kind) } }
        if isThere({ $0 == .trailingComma }) {
            disputes.append(
                LinkDispute(
                    code: "trailing-comma", question: "Does Apple's reader accept a comma with nothing after it?",
                    taken: "Yes: Foundation's readers do, and files in production have them",
                    other: "No: RFC 8259 does not allow it, and nobody has shown which mode the system uses",
                    otherwise: .noMatch))
        }
        if isThere({ if case .encoding = $0 { true } else { $0 == .byteOrderMark } }) {
            disputes.append(
                LinkDispute(
                    code: "text-encoding", question: "Does Apple's reader accept a byte-order mark, or UTF-16?",
                    taken: "Yes: Foundation's readers do",
                    other: "No: RFC 8259 wants UTF-8 without a mark, and strict readers refuse the file",
                    otherwise: .noMatch))
        }
        return disputes
    }

    /// The dispute about equal keys. One of Foundation's parsers keeps the last key and the other keeps the first, so
    /// the file is matched again with the first keys.
    static func duplicateKeyDispute(
        _ document: JSONDocument, _ decision: LinkDecision, under decide: (AASAFile) -> LinkDecision
    ) -> LinkDispute? {
        guard let root = document.root,
            document.errors.contains(where: { if case .duplicateKey = $0.kind { true } else { false } }),
            let file = AASAFile(JSONDocument(text: [], root: root.keepingFirstKeys, errors: []))
        else { return nil }
        let otherwise = decide(file)
        guard otherwise != decision else { return nil }
        return LinkDispute(
            code: "duplicate-key", question: "Which of equal keys in an object counts?",
            taken: "The last, as with JSONSerialization", other: "The first, as with JSONDecoder", otherwise: otherwise)
    }

    /// The error with its position, for example "1:77: comments are not JSON".
    static func words(_ fault: JSONError, _ document: JSONDocument) -> String {
        "\(document.position(at: fault.offset)): \(fault.message)"
    }
}

extension JSONNode {
    /// The value with only the first of equal keys in each object. All other code keeps the last key.
    fileprivate var keepingFirstKeys: JSONNode {
        switch value {
        case .array(let items): return JSONNode(.array(items.map(\.keepingFirstKeys)), range: range)
        case .object(let members):
            let first = members.uniqued { Array($0.key.utf8) }.map { member in
                JSONMember(key: member.key, keyRange: member.keyRange, value: member.value.keepingFirstKeys)
            }
            return JSONNode(.object(first), range: range)
        default: return self
        }
    }
}
