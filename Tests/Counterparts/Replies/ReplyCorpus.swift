import Foundation

@testable import IdPInboundMail
@testable import WebTestKit

/// A raw message to the reply address of a challenge, and what must become of it.
struct ReplySample: Sendable, CustomStringConvertible {
    enum Expectation: Sendable, Equatable {
        /// It is read, and proves the mailbox.
        case accepted
        case rejected(ReplyMessageError)
        /// It is read, and its sender is not the account's address.
        case otherSender(String)
        /// It is read, and its number is not that of the challenge.
        case otherNumber(String)
    }

    let name: String
    let expectation: Expectation
    let message: [UInt8]
    /// The recipient of the envelope, if the mail server passes it on.
    var envelope: String?

    var description: String { name }
}

/// Replies as mail programs write them, and as attackers do, for any challenge.
///
/// The hostile ones contain the right number wherever it must not count.
struct ReplyCorpus: Sendable {
    /// The one-time address of the challenge.
    var recipient = "login+aaaqeayeaudaocajbifqydiob4ibceqtcqkrmfyydenbwha5dypq@mail.example.test"
    /// The address of the account.
    var address = "ann@example.com"
    /// Four digits.
    var number = "4711"
    /// Under which the mail server writes its results.
    var authservID = "mx.example"

    /// The domain of the account's address.
    var domain: String { String(address.split(separator: "@").last ?? "") }
    /// The domain of reply addresses.
    var replyDomain: String { String(recipient.split(separator: "@").last ?? "") }
    /// Four other digits.
    var otherNumber: String { String(number.utf8.map { Character(Unicode.Scalar(($0 - 0x30 + 5) % 10 + 0x30)) }) }
    /// A reply address of another challenge.
    var otherRecipient: String {
        let prefix = ReplyAddress.prefix
        let rest = recipient.dropFirst(prefix.count)
        return prefix + (rest.first == "b" ? "c" : "b") + rest.dropFirst()
    }

    /// What a mail server writes about a reply whose signature and envelope fit.
    var passed: String {
        "\(authservID); dkim=pass (2048-bit key) header.d=\(domain) header.i=@\(domain) header.b=\"aB/c+d=\"; "
            + "spf=pass (sender is permitted) smtp.mailfrom=\(address)"
    }
    /// The tags of a usual signature.
    var signature: String {
        "v=1; a=rsa-sha256; c=relaxed/relaxed; d=\(domain); s=s1; t=1795339502; "
            + "h=from:to:subject:date:message-id; bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=; b=AbCd"
    }
    /// The email of the sign-in, quoted.
    var quotation: [String] {
        [
            "On Sun, 22 Nov 2026 at 10:24, Example <\(recipient)> wrote:", "> Example", ">", "> Your code:", ">",
            "> 123456", ">", "> Or answer this email with the number on the screen.",
            "> Asked for on 22 November 2026.",
        ]
    }

    var hostile: [ReplySample] {
        structure + recipients + senders + authentication + authenticationSyntax + automatic + bodies + numbers
            + hostileCharsets + hostileFaults + hostileDamage
    }
    var honest: [ReplySample] {
        webMail + webMailProviders + mailPrograms + phones + plainHonest + charsets + spellings + faults
            + damagedEncodings
    }

    // MARK: Building

    static func bytes(_ lines: [String]) -> [UInt8] { lines.flatMap { Array($0.utf8) + [0x0d, 0x0a] } }

    static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    static func multipart(_ parts: [[String]], boundary: String) -> [String] {
        parts.flatMap { ["--\(boundary)"] + $0 } + ["--\(boundary)--"]
    }

    /// A message that is rejected.
    func hostile(
        _ name: String, _ reason: ReplyMessageError, envelope: String? = nil, _ change: (inout ReplyDraft) -> Void
    ) -> ReplySample {
        sample(name, .rejected(reason), envelope: envelope, change)
    }

    func sample(
        _ name: String, _ expectation: ReplySample.Expectation, envelope: String? = nil,
        _ change: (inout ReplyDraft) -> Void
    ) -> ReplySample {
        var draft = ReplyDraft(self)
        change(&draft)
        return ReplySample(name: name, expectation: expectation, message: draft.bytes, envelope: envelope)
    }

    /// A message whose bytes are changed after it was built.
    func damaged(_ name: String, _ reason: ReplyMessageError, _ change: (inout [UInt8]) -> Void) -> ReplySample {
        var bytes = ReplyDraft(self).bytes
        change(&bytes)
        return ReplySample(name: name, expectation: .rejected(reason), message: bytes)
    }
}
