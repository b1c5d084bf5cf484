import Foundation

/// Replies as the web mail of further providers writes them.
extension ReplyCorpus {
    var webMailProviders: [ReplySample] { [proton, yahoo, gmx, roundcube] }

    private var proton: ReplySample {
        let text = """
            \(number)

            Sent with [Proton Mail](https://proton.me/mail/home) secure email.

            On Sunday, November 22nd, 2026 at 10:24 AM, Example <\(recipient)> wrote:

            > Your code: 123456
            """
        return message(
            "Proton Mail",
            """
            Date: Sun, 22 Nov 2026 09:25:02 +0000
            To: Example <\(recipient)>
            From: Ann Lee <\(address)>
            Subject: Re: Your code to sign in
            Message-ID: <w4711aBc=@protonmail.com>
            Feedback-ID: 12345678:user:proton
            MIME-Version: 1.0
            Content-Type: multipart/alternative;
             boundary="b1=_4711abc"

            --b1=_4711abc
            Content-Type: text/plain; charset=utf-8
            Content-Transfer-Encoding: base64

            \(Data(text.utf8).base64EncodedString(options: [.lineLength76Characters, .endLineWithLineFeed]))

            --b1=_4711abc
            Content-Type: text/html; charset=utf-8
            Content-Transfer-Encoding: base64

            \(Data("<div>\(number)</div>".utf8).base64EncodedString())

            --b1=_4711abc--
            """)
    }

    private var yahoo: ReplySample {
        message(
            "Yahoo Mail, which does not mark quoted lines",
            """
            Date: Sun, 22 Nov 2026 09:25:02 +0000 (UTC)
            From: Ann Lee <\(address)>
            To: Example <\(recipient)>
            Message-ID: <1234567.4711@mail.yahoo.com>
            Subject: Re: Your code to sign in
            MIME-Version: 1.0
            Content-Type: multipart/alternative; boundary="----=_Part_4711_12.34"

            ------=_Part_4711_12.34
            Content-Type: text/plain; charset=UTF-8
            Content-Transfer-Encoding: quoted-printable

             \(number)

                On Sunday, November 22, 2026 at 10:24:00 AM GMT+1, Example <login+=
            x@mail.example> wrote: =20
            =20
             Your code: 123456 1234
            ------=_Part_4711_12.34
            Content-Type: text/html; charset=UTF-8

            <div>\(number)</div><div id="ydp12yahoo_quoted_1">1234</div>
            ------=_Part_4711_12.34--
            """)
    }

    private var gmx: ReplySample {
        message(
            "GMX on the web, HTML only",
            """
            MIME-Version: 1.0
            Message-ID: <trinity-4711-1795339502@3c-app-gmx>
            From: Ann Lee <\(address)>
            To: Example <\(recipient)>
            Subject: Aw: Ihr Code
            Content-Type: text/html; charset=UTF-8
            Date: Sun, 22 Nov 2026 10:25:02 +0100
            Importance: normal
            Sensitivity: Normal

            <html><head></head><body><div style="font-family: Verdana;font-size: 12.0px;"><div>Guten Tag,</div>
            <div>&nbsp;</div>
            <div>\(number)</div>
            <div class="signature">Gr&uuml;&szlig;e</div>
            <div name="quote" style="margin:10px 5px 5px 10px;"><div><b>Gesendet:</b> Sonntag 2026<br/>1234</div></div>
            </div></body></html>
            """)
    }

    private var roundcube: ReplySample {
        message(
            "Roundcube",
            """
            MIME-Version: 1.0
            Date: Sun, 22 Nov 2026 10:25:02 +0100
            From: Ann Lee <\(address)>
            To: Example <\(recipient)>
            Subject: Re: Ihr Code
            In-Reply-To: <code.1@idp.example>
            User-Agent: Roundcube Webmail/1.6.9
            Message-ID: <4711abc@\(domain)>
            X-Sender: \(address)
            Content-Type: text/plain; charset=US-ASCII;
             format=flowed
            Content-Transfer-Encoding: 7bit

            Am 2026-11-22 10:24, schrieb Example:
            > Ihr Code: 123456
            > 1234

            \(number)
            """)
    }
}
