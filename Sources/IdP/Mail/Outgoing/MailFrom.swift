package import SSOShared
package import SSOWeb

/// Why a text is not a sender. The description follows the text in a sentence for the operator.
package enum MailFromError: Error, Equatable, CustomStringConvertible {
    case shape
    case several
    case name
    case address(EmailAddressError)

    /// A valid sender.
    package static let example = "Main App <sign-in@example.com>"

    package var description: String {
        switch self {
        case .shape, .address(.empty), .address(.noAt):
            "is not a valid sender. Use Name <address>, for example \(Self.example)."
        case .several:
            "is more than one mailbox. Use one mailbox, for example \(Self.example), and put a name that has , ; @ < or > "
                + "in quotation marks."
        case .name:
            "has a name that is longer than 64 bytes or has a control character. Use, for example, \(Self.example)."
        case .address(let error):
            "is not a valid sender. \(error) Use Name <address>, for example \(Self.example)."
        }
    }
}

/// The sender of emails: `Name <address>`, or the address alone.
package struct MailFrom: Sendable, Hashable {
    package static let setting = Setting(
        "IDP_MAIL_FROM", without: "required",
        .problem(hint: "Use Name <address>, for example \(MailFromError.example)."),
        example: "Main App <sign-in@example.com>", "The sender of emails: a name and an address."
    ) { text in
        do { return try MailFrom(text) } catch { throw SettingError("\"\(text)\" \(error)") }
    }

    /// Empty when there is only an address.
    let name: String
    let address: EmailAddress

    package init(_ text: String) throws(MailFromError) {
        let bytes = Self.trimmed(Array(Entered.name(text).utf8)[...])
        guard !Self.isList(bytes) else { throw .several }
        guard let open = bytes.lastIndex(of: UInt8(ascii: "<")) else {
            name = ""
            address = try Self.address(bytes)
            return
        }
        guard bytes.last == UInt8(ascii: ">") else { throw .shape }
        address = try Self.address(bytes[bytes.index(after: open)...].dropLast())
        name = try Self.name(Self.trimmed(bytes[..<open]))
    }

    /// Whether it reads as more than one mailbox: with a separator outside quotation marks, or with a second address.
    ///
    /// Using the last of them would send every email from an address that the operator did not choose (RFC 5322 3.4: a list of
    /// mailboxes has commas between them).
    private static func isList(_ bytes: ArraySlice<UInt8>) -> Bool {
        var (isQuoted, isEscaped) = (false, false)
        var (brackets, ats) = (0, 0)
        for byte in bytes {
            if isEscaped {
                isEscaped = false
                continue
            }
            switch byte {
            case UInt8(ascii: "\\"): isEscaped = isQuoted
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ","), UInt8(ascii: ";"): if !isQuoted { return true }
            case UInt8(ascii: "<"): if !isQuoted { brackets += 1 }
            case UInt8(ascii: "@"): if !isQuoted { ats += 1 }
            default: break
            }
        }
        return brackets > 1 || ats > 1
    }

    private static func address(_ bytes: ArraySlice<UInt8>) throws(MailFromError) -> EmailAddress {
        do {
            return try Entered.address(String(decoding: bytes, as: UTF8.self))
        } catch {
            throw .address(error)
        }
    }

    /// The name without the quotes of a quoted-string (RFC 5322 3.2.4), or the single ones that a shell or file has left around
    /// it. A name that has single ones itself is written as `"'Shop'"`.
    private static func name(_ bytes: ArraySlice<UInt8>) throws(MailFromError) -> String {
        var bytes = bytes
        let quote = UInt8(ascii: "\"")
        if bytes.count >= 2, bytes.first == quote, bytes.last == quote {
            bytes = unescaped(bytes.dropFirst().dropLast())[...]
        } else if bytes.count > 2, bytes.first == UInt8(ascii: "'"), bytes.last == UInt8(ascii: "'") {
            bytes = trimmed(bytes.dropFirst().dropLast())
        }
        let name = String(decoding: bytes, as: UTF8.self)
        guard bytes.count <= 64, name.unicodeScalars.allSatisfy(\.isSafeInHeader) else { throw .name }
        return name
    }

    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var (result, isEscaped): ([UInt8], Bool) = ([], false)
        for byte in bytes {
            if byte == UInt8(ascii: "\\"), !isEscaped {
                isEscaped = true
            } else {
                result.append(byte)
                isEscaped = false
            }
        }
        return result
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        let rest = bytes.drop(while: isBlank)
        return rest.prefix(rest.count - rest.reversed().prefix(while: isBlank).count)
    }
}

extension MailFrom: CustomStringConvertible {
    package var description: String { name.isEmpty ? address.text : "\(name) <\(address.text)>" }
}
