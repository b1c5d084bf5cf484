import Foundation
import Synchronization

/// Emails that were delivered into a folder: the outbox of local development, or the Maildir of the real SMTP server.
struct Mailbox: Sendable {
    let folder: String
    private let read = ReadEmails()

    /// Asks the program to send now what is due. Every look into the mailbox does.
    let deliver: @Sendable () -> Void

    init(folder: String, deliver: @escaping @Sendable () -> Void = {}) {
        (self.folder, self.deliver) = (folder, deliver)
    }

    struct Email: Sendable {
        let name: String
        let text: String
        /// The value of To, in lower case.
        let recipients: String
        /// The link that makes a browser known; nil for an email without one.
        let browserLink: String?

        init(name: String, text: String) {
            (self.name, self.text) = (name, text)
            recipients = Self.header("to", of: text)?.lowercased() ?? ""
            browserLink = Self.browserLink(of: text)
        }

        /// The six digits that are alone on a line.
        var code: String? {
            for line in text.split(whereSeparator: \.isNewline) {
                let digits = line.utf8.filter { $0 != 32 && $0 != 45 }
                if digits.count == 6, digits.allSatisfy({ (48...57).contains($0) }) {
                    return String(decoding: digits, as: UTF8.self)
                }
            }
            return nil
        }

        private static func browserLink(of text: String) -> String? {
            let plain = text.decodingQuotedPrintable()
            guard let path = plain.range(of: "/sign-in/browser/") else { return nil }
            let start = plain[..<path.lowerBound].lastIndex { $0.isWhitespace || $0 == "\"" }
            let link = plain[(start.map { plain.index(after: $0) } ?? plain.startIndex)...]
            return String(link.prefix { !$0.isWhitespace && $0 != "\"" })
        }

        /// The header's value without continuation lines: enough for addresses and subjects in tests.
        func header(_ name: String) -> String? { Self.header(name, of: text) }

        private static func header(_ name: String, of text: String) -> String? {
            for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
                if line.isEmpty { return nil }
                if line.lowercased().hasPrefix(name.lowercased() + ":") {
                    return String(line.dropFirst(name.count + 1).drop { $0 == " " })
                }
            }
            return nil
        }
    }

    /// The emails to an address, oldest first, without those that come unasked beside a code and bring the link for a
    /// browser.
    func all(to address: String) -> [Email] { everything(to: address).filter { $0.browserLink == nil } }

    /// The links of the emails that make a browser known, oldest first.
    func browserLinks(to address: String) -> [String] { everything(to: address).compactMap(\.browserLink) }

    /// Every email to an address, oldest first.
    func everything(to address: String) -> [Email] {
        deliver()
        let files = FileManager.default
        let names = (try? files.contentsOfDirectory(atPath: folder)) ?? []
        let wanted = address.lowercased()
        return names.filter { !$0.hasPrefix(".") && !$0.hasSuffix(".tmp") }.sorted()
            .compactMap { read.email($0, in: folder) }
            .filter { $0.recipients.contains(wanted) }
    }

    /// Puts a file at the path of the folder: nothing can be delivered.
    func block() throws {
        try FileManager.default.removeItem(atPath: folder)
        try Data().write(to: URL(fileURLWithPath: folder))
    }

    /// Makes an empty folder in its place again.
    func unblock() throws {
        try FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    /// Waits for the email number `count` to an address.
    func email(to address: String, count: Int = 1, within limit: Duration = TestTimeout.limit) async throws -> Email {
        try await eventually("email \(count) to \(address) in \(folder)", within: limit) {
            let emails = all(to: address)
            return emails.count >= count ? emails[count - 1] : nil
        }
    }

    /// Waits for an email to an address that is not one of the earlier ones. Emails of the same instant are in no order.
    func email(to address: String, besides earlier: [Email]) async throws -> Email {
        let names = Set(earlier.map(\.name))
        return try await eventually("another email to \(address) in \(folder)") {
            all(to: address).first { !names.contains($0.name) }
        }
    }

    /// Waits for an email to an address and reads the code in it. A notice may arrive before it.
    func code(to address: String, count: Int = 1, within limit: Duration = TestTimeout.limit) async throws -> String {
        try await eventually("code \(count) to \(address) in \(folder)", within: limit) {
            all(to: address).dropFirst(count - 1).lazy.compactMap(\.code).first
        }
    }

    /// Waits for another email with a code to an address and reads it.
    func code(to address: String, besides earlier: [Email]) async throws -> String {
        let names = Set(earlier.map(\.name))
        return try await eventually("another code to \(address) in \(folder)") {
            all(to: address).lazy.filter { !names.contains($0.name) }.compactMap(\.code).first
        }
    }
}

/// What a mailbox has read: an email never changes once it has its name, and a test looks at its folder many times.
private final class ReadEmails: Sendable {
    private let emails = Mutex<[String: Mailbox.Email]>([:])

    func email(_ name: String, in folder: String) -> Mailbox.Email? {
        if let known = emails.withLock({ $0[name] }) { return known }
        guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)") else { return nil }
        let email = Mailbox.Email(name: name, text: String(decoding: data, as: UTF8.self))
        emails.withLock { $0[name] = email }
        return email
    }
}

extension String {
    /// The text with soft line breaks and escapes of quoted-printable (RFC 2045 6.7) decoded.
    func decodingQuotedPrintable() -> String {
        var bytes: [UInt8] = []
        var rest = Array(utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "=") else {
                bytes.append(byte)
                continue
            }
            let pair = rest.prefix(2)
            if pair.elementsEqual([0x0d, 0x0a]) {
                rest = rest.dropFirst(2)
            } else if rest.first == 0x0a {
                rest = rest.dropFirst(1)
            } else if let value = UInt8(String(decoding: pair, as: UTF8.self), radix: 16), pair.count == 2 {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
