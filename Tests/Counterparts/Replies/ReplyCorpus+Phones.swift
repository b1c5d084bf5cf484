/// Replies as programs on telephones write them.
extension ReplyCorpus {
    var phones: [ReplySample] { [gmailAndroid, gmailIOS, iPhone, kNine] }

    private var gmailAndroid: ReplySample {
        message(
            "Gmail on Android in German",
            """
            \(fields("android", subject: "Re: Ihr Code"))
            Content-Type: multipart/alternative; boundary="0000000000004711"

            --0000000000004711
            Content-Type: text/plain; charset="UTF-8"
            Content-Transfer-Encoding: quoted-printable

            \(number) sch=C3=B6ne Gr=C3=BC=C3=9Fe

            Example <\(recipient)> schrieb am So., 22. Nov. 2=
            026, 10:24:

            > Ihr Code: 123456
            >

            --0000000000004711
            Content-Type: text/html; charset="UTF-8"

            <p dir="ltr">\(number)</p><div class="gmail_quote gmail_quote_container">1234</div>

            --0000000000004711--
            """)
    }

    private var gmailIOS: ReplySample {
        message(
            "Gmail on iOS",
            """
            \(fields("ios"))
            Content-Type: multipart/alternative; boundary="0000000000000815"

            --0000000000000815
            Content-Type: text/plain; charset="UTF-8"

            The number is \(number)

            Sent from Gmail Mobile


            On Sun, Nov 22, 2026 at 10:24 Example <
            \(recipient)>
            wrote:

            > Your code: 123456

            --0000000000000815
            Content-Type: text/html; charset="UTF-8"

            <div dir="auto">The number is \(number)</div>
            --0000000000000815--
            """)
    }

    private var iPhone: ReplySample {
        message(
            "Mail on an iPhone",
            """
            Content-Type: multipart/alternative; boundary=Apple-Mail-4711ABCD-EF01
            Content-Transfer-Encoding: 7bit
            From: Ann Lee <\(address)>
            Mime-Version: 1.0 (1.0)
            Subject: Re: Your code to sign in
            Date: Sun, 22 Nov 2026 10:25:02 +0100
            Message-Id: <ABCD4711-EF01@\(domain)>
            To: Example <\(recipient)>
            X-Mailer: iPhone Mail (24A4711)


            --Apple-Mail-4711ABCD-EF01
            Content-Type: text/plain;
            \tcharset=utf-8
            Content-Transfer-Encoding: quoted-printable

            \(number)=20

            Sent from my iPhone

            > On 22 Nov 2026, at 10:24, Example <\(recipient)> wr=
            ote:
            >=20
            > =EF=BB=BF
            > Your code: 123456

            --Apple-Mail-4711ABCD-EF01
            Content-Type: text/html;
            \tcharset=utf-8
            Content-Transfer-Encoding: 7bit

            <html><body dir="auto">\(number)<br><blockquote type="cite">1234</blockquote></body></html>
            --Apple-Mail-4711ABCD-EF01--
            """)
    }

    private var kNine: ReplySample {
        message(
            "K-9 Mail",
            """
            \(fields("k9", subject: "Re: Ihr Code"))
            User-Agent: K-9 Mail for Android
            Content-Type: text/plain;
             charset=utf-8
            Content-Transfer-Encoding: quoted-printable

            \(number)

            Am 22=2E November 2026 10:24:00 MEZ schrieb Example <\(recipient)>:
            >Ihr Code: 123456
            >1234
            """)
    }
}
