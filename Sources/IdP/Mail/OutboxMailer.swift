import Dispatch
import Foundation
import SSOWeb

/// Writes letters into a folder instead of sending them, for a trial on one's own machine: one `.eml` each.
struct OutboxMailer: Mailer {
    let folder: String

    func send(_ letter: Letter) async throws(MailFailure) {
        let name = Self.name(of: letter)
        let failure: MailFailure? = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                do throws(MailFailure) {
                    try write(letter.rfc5322(), to: name)
                    continuation.resume(returning: nil)
                } catch {
                    continuation.resume(returning: error)
                }
            }
        }
        if let failure { throw failure }
    }

    /// The newest letters, newest first. Reads files: a page for a trial, not for load.
    func letters(limit: Int = 50) -> [OutboxLetter] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".eml") && !$0.hasPrefix(".") }.sorted(by: >).prefix(limit).compactMap {
            name in
            FileManager.default.contents(atPath: "\(folder)/\(name)").map { OutboxLetter(Array($0)) }
        }
    }

    /// `20261121T033529.123Z-ID.eml`: sorts by time.
    private static func name(of letter: Letter) -> String {
        "\(PlainDate.rfc3339(letter.date).filter { $0 != "-" && $0 != ":" })-\(letter.plainID).eml"
    }

    /// Under another name first: whoever looks into the folder sees whole letters only.
    private func write(_ bytes: [UInt8], to name: String) throws(MailFailure) {
        let draft = "\(folder)/.\(name).tmp"
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .temporary("the outbox folder cannot be made")
        }
        // Codes are in there: for the owner alone.
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: draft, contents: Data(bytes), attributes: attributes),
            rename(draft, "\(folder)/\(name)") == 0
        else {
            unlink(draft)
            throw .temporary("the letter cannot be written into the outbox folder")
        }
    }
}
