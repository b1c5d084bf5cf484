import CCurl
import Foundation
import SSOShared

/// What a mail server says, line by line as libcurl hands it over, for one conversation.
final class ServerReplies {
    /// 235 follows a login and nothing else (RFC 4954 6).
    private(set) var hasAcceptedLogin = false
    /// The lines of the last refusal (RFC 5321 4.2.1): `550-…`, `550 …`. What the server says to QUIT may come behind it.
    private var refusal: [[UInt8]] = []
    private var isFirst = true
    private var isRefusal = false

    /// More of one reply is not kept.
    private static let maximumLines = 20

    func add(_ line: UnsafeRawBufferPointer) {
        if line.starts(with: "235".utf8) { hasAcceptedLogin = true }
        if isFirst {
            isRefusal = line.first == UInt8(ascii: "4") || line.first == UInt8(ascii: "5")
            if isRefusal { refusal = [] }
        }
        if isRefusal, refusal.count < Self.maximumLines { refusal.append(Array(line.prefix(1000))) }
        isFirst = line.count < 4 || line[3] != UInt8(ascii: "-")
    }

    /// The words of the last refusal, if it has this code: `: 5.7.1 Helo command rejected`; empty otherwise.
    func words(code: Int, hiding secrets: ServerWords) -> String {
        let lines = refusal.filter { $0.starts(with: "\(code)".utf8) }.map {
            String(decoding: $0.dropFirst(4), as: UTF8.self)
        }
        let text = secrets.cleaned(lines.joined(separator: " "))
        return text.isEmpty ? "" : ": \(text)"
    }

    /// Lets libcurl report each line. The object must live as long as the handle.
    func attach(to handle: UnsafeMutableRawPointer) -> [CURLcode] {
        [
            sso_curl_set_pointer(handle, CURLOPT_HEADERDATA, Unmanaged.passUnretained(self).toOpaque()),
            sso_curl_set_receive(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
                guard let bytes, let context else { return 0 }
                let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
                Unmanaged<ServerReplies>.fromOpaque(context).takeUnretainedValue().add(line)
                return size * count
            },
        ]
    }
}

/// Makes a server's text fit for a log: one line of at most 200 characters, without addresses and secrets, which servers
/// repeat.
struct ServerWords {
    private static let maximumLength = 200

    /// Words that are not shown: of the login and of the email's recipient.
    private let hidden: Set<String>
    /// The email's text. A word with a digit that stands in it may be its code or its link.
    private let text: String

    /// - Parameters:
    ///   - hidden: texts that are not shown, nor is any of their words that has at least three characters.
    ///   - text: of the email.
    init(hiding hidden: [String], text: String = "") {
        self.hidden = Set(
            hidden.flatMap { [$0] + Self.words(of: $0).filter { $0.count > 2 } }.map { $0.lowercased() }.filter {
                !$0.isEmpty
            })
        self.text = text
    }

    func cleaned(_ reply: String) -> String {
        var safe = String.UnicodeScalarView()
        for scalar in reply.unicodeScalars { safe.append(scalar.isSafeInHeader ? scalar : " ") }
        let shown = String(safe).split(separator: " ").map { isToHide(String($0)) ? "***" : String($0) }
        let line = shown.joined(separator: " ")
        return line.count <= Self.maximumLength ? line : line.prefix(Self.maximumLength - 1) + "…"
    }

    /// Whether a piece between blanks is an address, or holds a word that is not shown.
    private func isToHide(_ piece: String) -> Bool {
        if piece.contains("@") || piece.lowercased().contains("%40") { return true }
        if hidden.contains(piece.lowercased()) { return true }
        return Self.words(of: piece).contains { word in
            hidden.contains(word.lowercased())
                || word.count >= 4 && word.contains(where: \.isNumber) && text.contains(word)
        }
    }

    private static func words(of text: String) -> [String] {
        text.split { !$0.isLetter && !$0.isNumber && !"-_+".contains($0) }.map(String.init)
    }
}
