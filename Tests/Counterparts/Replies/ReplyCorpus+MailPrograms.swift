/// Replies as programs on computers write them.
extension ReplyCorpus {
    var mailPrograms: [ReplySample] {
        [outlookDesktop, exchange, appleMail, thunderbird, thunderbirdHTML, mutt, muttSigned, mailx]
    }

    /// The fields that every message has.
    func fields(_ program: String, subject: String = "Re: Your code to sign in") -> String {
        """
        From: Ann Lee <\(address)>
        To: Example <\(recipient)>
        Subject: \(subject)
        Date: Sun, 22 Nov 2026 10:25:02 +0100
        Message-ID: <\(program).4711@mail.example>
        In-Reply-To: <code.1@idp.example>
        MIME-Version: 1.0
        """
    }

    private var outlookDesktop: ReplySample {
        message(
            "Outlook on a computer",
            """
            \(fields("outlook", subject: "AW: Ihr Code"))
            X-Mailer: Microsoft Outlook 16.0
            Thread-Index: AQH4711==
            Content-Language: de
            Content-Type: multipart/alternative;
            \tboundary="----=_NextPart_000_0123_01DB3C4F.12345678"

            This is a multipart message in MIME format.

            ------=_NextPart_000_0123_01DB3C4F.12345678
            Content-Type: text/plain;
            \tcharset="Windows-1252"
            Content-Transfer-Encoding: quoted-printable

            =84\(number)=93

            Gr=FC=DFe

            Von: Example <\(recipient)>=20
            Gesendet: Sonntag, 22. November 2026 10:24
            An: Ann Lee
            Betreff: Ihr Code

            Ihr Code: 123456 1234


            ------=_NextPart_000_0123_01DB3C4F.12345678
            Content-Type: text/html; charset="Windows-1252"

            <html xmlns:o="urn:schemas-microsoft-com:office:office"><body><p class=MsoNormal>\(number)</p></body></html>
            ------=_NextPart_000_0123_01DB3C4F.12345678--

            """)
    }

    private var exchange: ReplySample {
        message(
            "Exchange with SPF only", signed: nil,
            """
            \(fields("exchange"))
            X-Auto-Response-Suppress: DR, RN, NRN, OOF, AutoReply
            X-MS-Exchange-Organization-AuthAs: Internal
            X-Originating-IP: [192.0.2.33]
            Content-Type: text/plain; charset="us-ascii"
            Content-Transfer-Encoding: quoted-printable

            \(number)

            -----Original Message-----
            From: Example [mailto:\(recipient)]=20
            Sent: Sunday, November 22, 2026 10:24 AM

            1234
            """)
    }

    private var appleMail: ReplySample {
        message(
            "Apple Mail on a Mac",
            """
            From: Ann Lee <\(address)>
            Content-Type: text/plain;
            \tcharset=us-ascii
            Content-Transfer-Encoding: quoted-printable
            Mime-Version: 1.0 (Mac OS X Mail 16.0 \\(3826.200.121\\))
            Subject: Re: Your code to sign in
            Date: Sun, 22 Nov 2026 10:25:02 +0100
            References: <code.1@idp.example>
            To: Example <\(recipient)>
            In-Reply-To: <code.1@idp.example>
            Message-Id: <4711ABCD-EF01-2345-6789-ABCDEF012345@\(domain)>
            X-Mailer: Apple Mail (2.3826.200.121)

            \(number)

            > On 22 Nov 2026, at 10:24, Example <\(recipient)> wr=
            ote:
            >=20
            > Your code: 123456

            """)
    }

    private var thunderbird: ReplySample {
        message(
            "Thunderbird in plain text, below the quotation",
            """
            \(fields("thunderbird"))
            User-Agent: Mozilla Thunderbird
            Content-Language: en-US
            Content-Type: text/plain; charset=UTF-8; format=flowed
            Content-Transfer-Encoding: 7bit

            On 11/22/26 10:24, Example wrote:
            > Your code:
            >
            > 123456 1234

            \(number)

            --\u{20}
            Ann Lee, room 1234
            """)
    }

    private var thunderbirdHTML: ReplySample {
        message(
            "Thunderbird in HTML",
            """
            \(fields("thunderbird-html", subject: "Re: Ihr Code"))
            Content-Type: multipart/alternative;
             boundary="------------4711aBcDeFgHiJkLmNoPqRsT"

            This is a multi-part message in MIME format.
            --------------4711aBcDeFgHiJkLmNoPqRsT
            Content-Type: text/plain; charset=UTF-8; format=flowed
            Content-Transfer-Encoding: 8bit

            Grüße, \(number)

            Am 22.11.26 um 10:24 schrieb Example:
            > Ihr Code: 123456
            --------------4711aBcDeFgHiJkLmNoPqRsT
            Content-Type: text/html; charset=UTF-8
            Content-Transfer-Encoding: 8bit

            <!DOCTYPE html><html><body><p>Grüße, \(number)</p><div class="moz-cite-prefix">1234</div></body></html>

            --------------4711aBcDeFgHiJkLmNoPqRsT--
            """)
    }

    private var mutt: ReplySample {
        message(
            "mutt",
            """
            \(fields("mutt"))
            Content-Type: text/plain; charset=us-ascii
            Content-Disposition: inline

            * Example <\(recipient)> [2026-11-22 10:24]:
            > Your code: 123456
            > 1234

            \(number)

            --\u{20}
            Ann
            """)
    }

    private var muttSigned: ReplySample {
        message(
            "mutt with a PGP signature",
            """
            \(fields("mutt-pgp"))
            Content-Type: multipart/signed; micalg=pgp-sha512;
            \tprotocol="application/pgp-signature"; boundary="x4711/aB=c"
            Content-Disposition: inline


            --x4711/aB=c
            Content-Type: text/plain; charset=iso-8859-15
            Content-Disposition: inline
            Content-Transfer-Encoding: quoted-printable

            \(number)=A4

            On Sun, Nov 22, 2026 at 10:24:00AM +0100, Example wrote:
            > 1234

            --x4711/aB=c
            Content-Type: application/pgp-signature; name="signature.asc"

            -----BEGIN PGP SIGNATURE-----
            1234
            -----END PGP SIGNATURE-----

            --x4711/aB=c--
            """)
    }

    private var mailx: ReplySample {
        message(
            "mailx without MIME",
            """
            To: \(recipient)
            Subject: Re: Your code to sign in
            Message-Id: <20261122092502.4711AB@host.\(domain)>
            Date: Sun, 22 Nov 2026 10:25:02 +0100 (CET)
            From: \(address)

            \(number)
            """)
    }
}
