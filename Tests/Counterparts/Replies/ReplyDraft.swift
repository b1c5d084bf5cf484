/// A reply from parts, each of which a test can change. Unchanged it is a plain reply that is accepted.
struct ReplyDraft {
    /// Lines above all others.
    var top: [String] = []
    /// Values of Authentication-Results, from top to bottom.
    var results: [String]
    /// Values of DKIM-Signature.
    var signatures: [String]
    /// Values of From.
    var from: [String]
    var to: [String]
    /// Further lines of the header: Subject, Date, Message-ID.
    var lines: [String] = [
        "Subject: Re: Your code to sign in", "Date: Sun, 22 Nov 2026 10:25:02 +0100",
        "Message-ID: <reply.1@mail.example>",
    ]
    /// The lines of MIME.
    var mime = ["MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: 8bit"]
    var body: [UInt8]

    init(_ corpus: ReplyCorpus) {
        results = [corpus.passed]
        signatures = [corpus.signature]
        from = ["Ann Lee <\(corpus.address)>"]
        to = ["Example <\(corpus.recipient)>"]
        body = ReplyCorpus.bytes(["\(corpus.number)", ""] + corpus.quotation)
    }

    /// The body as lines.
    var text: [String] {
        get { [] }
        set { body = ReplyCorpus.bytes(newValue) }
    }

    /// The content type of a multipart with the boundary `b`, and its parts, each with its own header.
    mutating func multipart(_ type: String, _ parts: [[String]]) {
        mime = ["MIME-Version: 1.0", "Content-Type: multipart/\(type); boundary=b"]
        text = ReplyCorpus.multipart(parts, boundary: "b")
    }

    mutating func html(_ html: String) {
        mime = ["MIME-Version: 1.0", "Content-Type: text/html; charset=utf-8"]
        text = [html]
    }

    /// Removes the lines of the header whose field has this name.
    mutating func remove(_ name: String) {
        lines.removeAll { $0.lowercased().hasPrefix(name.lowercased() + ":") }
    }

    var bytes: [UInt8] {
        let header =
            top + results.map { "Authentication-Results: \($0)" }
            + ["Received: from mail.example (mail.example [192.0.2.7]) by mx.example with ESMTPS id 4711AB"]
            + signatures.map { "DKIM-Signature: \($0)" } + from.map { "From: \($0)" } + to.map { "To: \($0)" } + lines
            + mime
        return ReplyCorpus.bytes(header + [""]) + body
    }
}
