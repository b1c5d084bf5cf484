import IdPMail
import Logging
package import SSOWeb

/// What happens in a sign-in by email, and with an invitation.
extension EventKind {
    package static let mailQueued = EventKind(
        "mail_queued", .info, .refusal("flow, the address that was typed"), line: [.flow.orDash],
        user: Text("activity.mail-sent"),
        "An email with a code waits to be sent, in `leaves_in_seconds`. One line for each submitted address, as `mail_not_sent`."
    )
    package static let codeRejected = EventKind(
        "code_rejected", .notice, .refusal("session, flow; `cause` is the line's `reason`; `detail`: the challenge"),
        line: [.session.orDash, .flow.orDash, .reason, .detail("challenge")],
        causes: [
            .init("wrong", "Type the newest email's code; `tries_left` counts down."),
            .init("used_up", "Five were wrong: ask for a new code."),
            .init("expired", "Ten minutes are over, or the link was faster: ask for a new code."),
            .init("email_not_sent", "No email with this code has left: wait for it."),
            .init(
                "paused",
                "Too many wrong codes for account or browser: [limits](limits.md). The email's link works."),
        ], user: Text("activity.code-rejected"), "A typed code was not accepted.")
    package static let codesPaused = EventKind(
        "codes_paused", .notice, line: [.session, .flow, .detail("challenge")],
        "Too many wrong codes for account or browser: [limits](limits.md). The email's link works.")
    package static let linkRejected = EventKind(
        "link_rejected", .notice, .refusal("session, flow; `cause` is the line's `reason`; `detail`: the challenge"),
        line: [.session.orDash, .flow.orDash, .reason, .detail("challenge").orDash],
        causes: [
            .init("expired", "Ask for a new email."),
            .init("used", "This email has signed in: ask for a new one."),
            .init("damaged", "A mail program has cut the link: ask for a new one."),
            .init("no_cookie", "Allow cookies."),
        ], "The link in the email does not work.")
    package static let browserKnown = EventKind(
        "browser_known", .notice, line: [.session, .flow], "By an email's link. Many: an attack.")
    package static let guessAlarmRaised = EventKind(
        "guess_alarm_raised", .error, .row(""),
        "Over 100 wrong codes within ten minutes in all. [Limits](limits.md) are narrower until `guess_alarm_ended`, an hour without such a rate. Block a common `client_address` at the proxy."
    )
    package static let guessAlarmEnded = EventKind("guess_alarm_ended", .notice, .row(""), "An alarm is over.")
    package static let invitationRejected = EventKind(
        "invitation_rejected", .notice, .refusal("session; `cause` is the line's `reason`"),
        line: [.session.orDash, .reason],
        causes: [
            .init("unknown", "A damaged link, or no cookies."), .init("withdrawn", "Invite again."),
            .init("used", "Sign in as usual."), .init("expired", "Invite again."),
        ], "An invitation does not work.")
}

/// What happens to answers to the email.
extension EventKind {
    package static let replyAccepted = EventKind(
        "reply_accepted", .info, line: [.flow, .detail("challenge")],
        "A user has answered the email; the browser that asked signs in.")
    package static let replyIgnored = EventKind(
        "reply_ignored", .notice, line: [.flow, .reason, .detail("challenge")], causes: causesOfIgnored,
        "An answer to the email does nothing. In the order of the checks; from `unknown_recipient` on once it was read."
    )
    package static let inboundMailRefused = EventKind(
        "inbound_mail_refused", .info, .refusal("`cause` as in the log"),
        line: [.client.orDash, .flow.orDash, .cause()],
        causes: [
            .init("content_type", "Content-Type must be `message/rfc822`."),
            .init("body_size", "The message is above 256 KiB."),
            .init("bad_signatures", "Too many wrong signatures from this network: [limits](limits.md)."),
            .init("signature_missing", "`X-SSO-Signature` is missing."),
            .init("signature_malformed", "`X-SSO-Signature` must be `sha256=` and 64 hexadecimal digits."),
            .init("signature_repeated", "`X-SSO-Signature` is there twice."),
            .init(
                "signature_wrong", .warning,
                remedy: "`POST /auth/mail/inbound`, signed with another secret. Compare them."),
        ], "A message to `POST /auth/mail/inbound` was not taken.")
    package static let inboundMailFailed = EventKind(
        "inbound_mail_failed", .error, line: [.cause()], "Storage: 503. Look at `cause` and `/readyz`.")

    private static let causesOfIgnored: [EventCause] = [
        .init("too_large", "Above 256 KiB."),
        .init("nul_byte", "A NUL: programs read it differently."),
        .init("line_ends", "A bare CR, or CRLF beside LF: programs read it differently."),
        .init("header_malformed", "A broken header: programs read it differently."),
        .init("header_field_too_long", "A header field above 16 KiB."),
        .init("header_too_long", "A header above 64 KiB."),
        .init("too_many_header_fields", "Above 300 header fields."),
        .init("header_not_utf8", "A header that is neither ASCII nor UTF-8: programs read it differently."),
        .init("header_repeated", "A single field twice: programs read it differently."),
        .init("no_recipient", "Sent to no one-time address. Check the domain."),
        .init("several_recipients", "Sent to several one-time addresses."),
        .init("no_from", "No From."),
        .init("several_from", "Several From fields could be read as another address."),
        .init("from_list", "From has several addresses."),
        .init("from_group", "From has a group: it could be read as another address."),
        .init("from_comment", "From has a comment that could be read as another address."),
        .init("from_malformed", "From has not exactly one plain address."),
        .init(
            "no_authentication",
            "No `Authentication-Results`: the filter is off, adds nothing, or cannot read the signature."),
        .init("other_authserv_id", "The topmost `Authentication-Results` is not of `IDP_INBOUND_AUTHSERV_ID`."),
        .init("authentication_malformed", "The topmost `Authentication-Results` does not follow RFC 8601."),
        .init("not_authenticated", "Neither DKIM nor SPF passed, or `dkim=pass` without `header.d`."),
        .init("not_aligned", "They passed for another domain than From's (a subdomain too)."),
        .init("signature_incomplete", "The domain's signature has `l=`, or leaves From, Subject or Date unsigned."),
        .init("auto_submitted", "By a program: `Auto-Submitted`."),
        .init("precedence", "By a program: `Precedence`."),
        .init("auto_reply", "By a vacation program."),
        .init("mailing_list", "By a mailing list."),
        .init("null_return_path", "A bounce: its return path is empty."),
        .init("report", "A bounce or another report."),
        .init("no_message_id", "By a program: no Message-ID."),
        .init("mime_malformed", "The text cannot be read: broken MIME."),
        .init("too_deep", "The text cannot be read: parts are nested too deeply."),
        .init("too_many_parts", "The text cannot be read: too many parts."),
        .init("no_text", "There is no text: an attachment alone, or encrypted."),
        .init("transfer_encoding", "The text cannot be read: its transfer encoding is unknown or broken."),
        .init("charset", "iconv does not know the character set, or its module is not installed."),
        .init("no_number", "No number of four digits. Quoted text does not count."),
        .init(
            "several_numbers",
            "Different numbers of four digits in the line. A number alone on its line wins, also with blanks: `12 34`."),
        .init(
            "unknown_recipient", "The one-time address is of another `IDP_SECRET_KEY`, or over an hour old."),
        .init("used", "The email has signed in."),
        .init("expired", "The email is over ten minutes old."),
        .init("not_eligible", "The address may not sign in."),
        .init("other_sender", "The email went to another address."),
        .init("already_answered", "A correct answer came before (delivered twice, or a second one)."),
        .init("email_not_sent", "The email has not left."),
        .init("paused", "Too many wrong codes or numbers for the account: [limits](limits.md)."),
        .init("used_up", "Too many wrong codes or numbers for the email: ask for a new one."),
        .init("wrong_number", "Not the number on the screen. Counts as a wrong code."),
    ]
}

/// The events of this target.
package enum SignInEvents {
    package static let all: [EventKind] = [
        .mailQueued, .codeRejected, .codesPaused, .linkRejected, .browserKnown, .guessAlarmRaised, .guessAlarmEnded,
        .invitationRejected, .replyAccepted, .replyIgnored, .inboundMailRefused, .inboundMailFailed,
    ]
}
