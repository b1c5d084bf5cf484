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

    /// Why no letter could be written, in words for whoever set it up; nil when all is well. Changes nothing.
    var fault: String? {
        var status = stat()
        var place = folder
        // What is not there yet is made with the first letter, below the nearest folder that is.
        while stat(place, &status) != 0 {
            let parent = URL(fileURLWithPath: place).deletingLastPathComponent().path
            guard parent != place else { break }
            place = parent
        }
        guard stat(place, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            return "the outbox folder \(folder) cannot be made: \(place) is no folder. Name another one."
        }
        guard access(place, W_OK | X_OK) == 0 else {
            return "the outbox folder \(folder) cannot be written to. Make \(place) writable for this user."
        }
        return nil
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
            throw .unreachable("the outbox folder cannot be made")
        }
        // Codes are in there: for the owner alone.
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: draft, contents: Data(bytes), attributes: attributes),
            rename(draft, "\(folder)/\(name)") == 0
        else {
            unlink(draft)
            throw .unreachable("the letter cannot be written into the outbox folder")
        }
    }
}
