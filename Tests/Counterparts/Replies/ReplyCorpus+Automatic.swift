@testable import IdPInboundMail

/// What programs answer by themselves, from the right address and signed.
extension ReplyCorpus {
    var automatic: [ReplySample] {
        vacations + bounces
            + [
                ("List-Id: <list.example.com>", ReplyMessageError.mailingList),
                ("List-Unsubscribe: <https://list.example.com/>", .mailingList),
                ("List-Post: <mailto:list@example.com>", .mailingList),
                ("Mailing-List: contact list@example.com", .mailingList),
                ("Precedence: bulk", .precedence), ("Precedence: Junk", .precedence), ("Precedence: list", .precedence),
                ("Auto-Submitted: auto-generated", .autoSubmitted), ("Auto-Submitted:", .autoSubmitted),
                ("Auto-Submitted: no auto-replied", .autoSubmitted),
                ("Auto-Submitted: no, auto-replied", .autoSubmitted),
                ("Auto-Submitted: (no) auto-replied", .autoSubmitted),
                ("Auto-Submitted: auto-notified; x=no", .autoSubmitted), ("Precedence: (x) BULK (y)", .precedence),
                ("X-Autoreply: yes", .autoReply), ("X-Autorespond: no longer here", .autoReply),
                ("Auto-Submitted: No, auto-generated", .autoSubmitted), ("Auto-Submitted: ,", .autoSubmitted),
                ("Auto-Submitted: \"\"", .autoSubmitted), ("Auto-Submitted: yes, no", .autoSubmitted),
                ("X-Autorespond: Nobody is here", .autoReply), ("X-Autoreply: yes, no", .autoReply),
                ("X-Vacation: disabled until Monday", .autoReply), ("Precedence: bulk, x", .precedence),
                ("Precedence: 'list'", .precedence),
            ].map { line, reason in hostile("automatic: \(line)", reason) { $0.lines.append(line) } }
    }

    /// As five vendors write it, and what is left of them when a server removes Auto-Submitted.
    private var vacations: [ReplySample] {
        func vacation(_ name: String, _ reason: ReplyMessageError, _ lines: String...) -> ReplySample {
            hostile("vacation: \(name)", reason) {
                $0.lines += lines
                $0.text = ["I am away. In urgent cases call extension \(number)."]
            }
        }
        return [
            vacation(
                "Exchange", .autoSubmitted, "Auto-Submitted: auto-generated", "X-Auto-Response-Suppress: All",
                "X-MS-Exchange-Inbox-Rules-Loop: \(address)"),
            vacation("a rule of Exchange", .autoReply, "X-MS-Exchange-Inbox-Rules-Loop: \(address)"),
            vacation("Gmail", .autoSubmitted, "Auto-Submitted: auto-replied", "Precedence: bulk", "X-Autoreply: yes"),
            vacation("Gmail without Auto-Submitted", .precedence, "Precedence: bulk", "X-Autoreply: yes"),
            vacation(
                "Sieve (Pigeonhole)", .autoSubmitted, "Auto-Submitted: auto-replied (vacation)",
                "Precedence: bulk", "X-Sieve: Pigeonhole Sieve 0.5.21"),
            vacation("vacation(1)", .precedence, "Precedence: junk"),
            vacation(
                "cPanel", .autoSubmitted, "Auto-Submitted: auto-replied", "X-Autorespond: Re: Your code",
                "Precedence: auto_reply"),
            vacation("cPanel without Auto-Submitted", .precedence, "Precedence: auto_reply"),
            vacation("an old autoresponder", .autoReply, "X-Autorespond: Re: Your code"),
            vacation("GMX", .autoSubmitted, "Auto-Submitted: auto-replied", "X-Autoreply: yes"),
        ]
    }

    private var bounces: [ReplySample] {
        [
            hostile("a bounce", .nullReturnPath) { $0.top = ["Return-Path: <>"] },
            hostile("a bounce with spaces", .nullReturnPath) { $0.top = ["Return-Path: < >"] },
            hostile("a bounce as Postfix's pipe transport passes it on", .nullReturnPath) {
                $0.top = ["Return-Path: <MAILER-DAEMON>"]
            },
            hostile("a bounce of a server with a name", .nullReturnPath) {
                $0.top = ["Return-Path: <MAILER-DAEMON@mx.example>"]
            },
            hostile("a bounce with a line of mailbox files", .nullReturnPath) {
                $0.top = ["From MAILER-DAEMON Sun Nov 22 09:24:00 2026", "Return-Path: <\(address)>"]
            },
            hostile("a delivery report", .report) {
                $0.multipart(
                    "report; report-type=delivery-status", [["Content-Type: text/plain", "", number]])
            },
            hostile("a read receipt", .report) {
                $0.multipart(
                    "report; report-type=disposition-notification", [["Content-Type: text/plain", "", number]])
            },
            hostile("another message as the content", .report) {
                $0.mime = ["MIME-Version: 1.0", "Content-Type: message/rfc822"]
            },
            hostile("a part of a message as the content", .report) {
                $0.mime = ["MIME-Version: 1.0", "Content-Type: Message/Partial; id=x; number=1"]
            },
            hostile("no Message-ID", .noMessageID) { $0.remove("Message-ID") },
            hostile("an empty Message-ID", .noMessageID) {
                $0.remove("Message-ID")
                $0.lines.append("Message-ID: ")
            },
        ]
    }
}
