import Dispatch
package import Foundation
import SSOShared
package import SSOWeb

/// Writes emails into a folder instead of sending them, for a trial on one machine: one `.eml` each, and a hidden
/// `.json` file with what the mailbox page shows.
package struct OutboxMailer: Mailer {
    let folder: String

    package init(folder: String) {
        self.folder = folder
    }

    package func send(_ email: EmailMessage) async throws(MailError) {
        let name = Self.name(of: email)
        let failure: MailError? = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                do throws(MailError) {
                    try write(email, as: name)
                    continuation.resume(returning: nil)
                } catch {
                    continuation.resume(returning: error)
                }
            }
        }
        if let failure { throw failure }
    }

    /// Why emails cannot be written, in words for the operator; nil if they can. Changes nothing.
    package var problem: String? {
        var isFolder: ObjCBool = false
        var place = folder
        // A missing folder is made with the first email, inside the nearest folder that exists.
        while !FileManager.default.fileExists(atPath: place, isDirectory: &isFolder) {
            let parent = URL(fileURLWithPath: place).deletingLastPathComponent().path
            guard parent != place else { break }
            place = parent
        }
        guard FileManager.default.fileExists(atPath: place, isDirectory: &isFolder), isFolder.boolValue else {
            return
                "the outbox folder \(folder) cannot be created: \(place) is not a folder. Use another one, for example outbox:var/outbox."
        }
        guard access(place, W_OK | X_OK) == 0 else {
            return "the outbox folder \(folder) cannot be written to. Make \(place) writable for this user."
        }
        return nil
    }

    /// An email as the mailbox page shows it.
    package struct Item: Sendable, Codable {
        package let subject, to, text, html: String
        package let sentAt: Timestamp
        /// A PNG that the HTML shows as `cid:logo`.
        package let logo: Data?
    }

    package var destination: String { "outbox:\(folder)" }

    /// The newest emails with their names, newest first. Files with other names are left out.
    package func items(limit: Int = 50) -> [(name: String, item: Item)] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasPrefix(".") && $0.hasSuffix(".json") }.sorted(by: >).prefix(limit).compactMap {
            let name = String($0.dropFirst().dropLast(".json".count))
            return item(named: name).map { (name, $0) }
        }
    }

    /// The email of a name that ``items(limit:)`` gives; nil for any other text, whatever a request has made of it.
    package func item(named name: String) -> Item? {
        guard Self.isName(name), let data = FileManager.default.contents(atPath: "\(folder)/.\(name).json")
        else { return nil }
        return try? JSONDecoder().decode(Item.self, from: data)
    }

    /// Whether a text can be the name of an email: letters, digits, `-`, `_` and `.`, so that it names no other folder.
    static func isName(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && !text.utf8.starts(with: ".".utf8)
            && text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-_.".utf8.contains($0) }
    }

    /// `20261121T033529.123Z-ID`: sorts by time.
    private static func name(of email: EmailMessage) -> String {
        "\(PlainDate.rfc3339(email.date).filter { $0 != "-" && $0 != ":" })-\(email.plainID)"
    }

    /// Writes the item before the email: a reader who sees the email can rely on the page.
    private func write(_ email: EmailMessage, as name: String) throws(MailError) {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .unreachable("the outbox folder cannot be created")
        }
        let item = Item(
            subject: email.subject, to: email.to.text, text: email.text, html: email.html, sentAt: email.date,
            logo: email.logo.map { Data($0) })
        guard let data = try? JSONEncoder().encode(item) else { throw .unreachable("the email cannot be encoded") }
        try write(data, to: ".\(name).json")
        try write(Data(email.rfc5322()), to: "\(name).eml")
    }

    /// Under another name first, so that the folder only ever shows complete files.
    private func write(_ data: Data, to name: String) throws(MailError) {
        let draft = "\(folder)/.\(name).tmp"
        // The files contain codes: for the owner only.
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: draft, contents: data, attributes: attributes),
            rename(draft, "\(folder)/\(name)") == 0
        else {
            unlink(draft)
            throw .unreachable("the email cannot be written into the outbox folder")
        }
    }
}
