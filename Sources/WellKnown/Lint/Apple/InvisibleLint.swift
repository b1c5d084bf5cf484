import SSOShared

/// Characters that show nothing, inside strings. Those between values are the JSON reader's to tell.
enum InvisibleLint {
    static func check(_ document: JSONDocument, into sheet: inout FindingSheet) {
        // Every such character has a byte beyond ASCII or an escape; most files have neither.
        guard let root = document.root, document.text.contains(where: { $0 >= 0x80 || $0 == UInt8(ascii: "\\") })
        else { return }
        walk(root, isRemark: false, into: &sheet)
    }

    /// As deep as the reader goes.
    private static func walk(_ node: JSONNode, isRemark: Bool, into sheet: inout FindingSheet) {
        switch node.value {
        case .string(let text): check(text, node.range, isRemark: isRemark, into: &sheet)
        case .array(let items): for item in items { walk(item, isRemark: isRemark, into: &sheet) }
        case .object(let members):
            for member in members {
                check(member.key, member.keyRange, isRemark: isRemark, into: &sheet)
                walk(member.value, isRemark: isRemark || AASALint.isRemark(member.key), into: &sheet)
            }
        default: break
        }
    }

    private static func check(_ text: String, _ range: Range<Int>, isRemark: Bool, into sheet: inout FindingSheet) {
        guard !isRemark, text.utf8.contains(where: { $0 >= 0x80 }),
            let scalar = text.unicodeScalars.first(where: JSONReader.isInvisible)
        else { return }
        sheet.add(
            JSONRules.invisible, at: place(of: scalar, in: range, sheet.document.text),
            "U+\(JSONError.hex(scalar.value)) cannot be seen, and stands inside \(text.quoted)")
    }

    /// The character itself when it is written out; the string when it is an escape.
    private static func place(of scalar: Unicode.Scalar, in range: Range<Int>, _ text: [UInt8]) -> Int {
        let bytes = Array(String(scalar).utf8)
        let slice = text[range.clamped(to: text.indices)]
        return slice.indices.first { slice[$0...].starts(with: bytes) } ?? range.lowerBound
    }
}
