import Foundation
import SSOShared
import SSOWeb

@testable import IdPMail
@testable import TestKit

extension EmailMessage {
    /// An email like those of the product. Each part can be changed.
    static func example(
        id: String = "01J-letter_1", milliseconds: Int64 = 1_795_232_129_123,
        from: String = "Main App <sign-in@example.com>",
        to: String = "ann@client.example", subject: String = "Your code to sign in",
        text: String = "Your code:\n\n123456\n\nIgnore this letter if it was not you.\n",
        html: String = "<p>Your code:</p>\n<p>\n123456\n</p>\n",
        language: Language = .english, domain: String = "idp.example.com"
    ) throws -> EmailMessage {
        EmailMessage(
            id: id, date: Timestamp(milliseconds: milliseconds), from: try MailFrom(from), to: try EmailAddress(to),
            subject: subject, text: text, html: html, language: language, messageIDDomain: domain)
    }
}

/// An email as another parser reads it: Python's `email`.
struct ReadEmail: Decodable {
    struct Part: Decodable {
        let type: String
        let text: String
        let encoding: String
    }

    let headers: [[String]]
    let parts: [Part]
    let defects: [String]
    /// The display names of the senders.
    let names: [String]

    func values(_ name: String) -> [String] {
        headers.filter { $0[0].lowercased() == name.lowercased() }.map { $0[1] }
    }

    private static let script = """
        import email, email.policy, json, sys
        message = email.message_from_bytes(open(sys.argv[1], "rb").read(), policy=email.policy.default)
        parts = [p for p in message.walk() if not p.is_multipart()]
        defects = [repr(d) for p in message.walk() for d in p.defects]
        defects += [repr(d) for v in message.values() for d in getattr(v, "defects", [])]
        names = [a.display_name for a in message["from"].addresses] if message["from"] else []
        print(json.dumps({
            "headers": [[k, str(v)] for k, v in message.items()],
            "parts": [{"type": p.get_content_type(), "text": p.get_content().replace(chr(13), ""),
                       "encoding": p["content-transfer-encoding"]}
                      for p in parts],
            "defects": defects, "names": names}))
        """

    static func read(_ bytes: [UInt8]) async throws -> ReadEmail {
        let folder = try TemporaryFolder()
        try Data(bytes).write(to: URL(fileURLWithPath: folder.path(of: "message.eml")))
        let child = try ChildProcess(
            "/usr/bin/python3", ["-c", script, "message.eml"], environment: ["PATH": "/usr/bin:/bin"],
            folder: folder.path,
            standardOutput: folder.path(of: "out"), standardError: folder.path(of: "err"))
        guard try await child.waitForExit() == .code(0) else { throw ProbeFailure(folder.text(of: "err")) }
        return try JSONDecoder().decode(ReadEmail.self, from: Data(folder.text(of: "out").utf8))
    }
}
