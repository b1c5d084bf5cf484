/// Replies as web mail writes them.
extension ReplyCorpus {
    var webMail: [ReplySample] {
        [gmail, outlookOnTheWeb, outlookCom, fastmail]
    }

    /// A message that is accepted: the lines of a mail server, then this text with CRLF.
    func message(_ name: String, signed: String? = "from:to:cc:subject:date:message-id", _ text: String) -> ReplySample
    {
        var top = ["Return-Path: <\(address)>", "Delivered-To: \(recipient)"]
        if let signed {
            top += [
                "Authentication-Results: \(passed)",
                "DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=\(domain); s=s1;\r\n\th=\(signed); bh=aB/c=; b=d+E",
            ]
        } else {
            top.append("Authentication-Results: \(authservID); dkim=none; spf=pass smtp.mailfrom=\(address)")
        }
        top.append(
            "Received: from mail.\(domain) (mail.\(domain) [192.0.2.7])\r\n\tby mx.example with ESMTPS id 1234AB")
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return ReplySample(name: name, expectation: .accepted, message: Self.bytes(top + lines))
    }

    private var gmail: ReplySample {
        message(
            "Gmail on the web",
            """
            MIME-Version: 1.0
            References: <code.1@idp.example>
            In-Reply-To: <code.1@idp.example>
            From: Ann Lee <\(address)>
            Date: Sun, 22 Nov 2026 10:25:02 +0100
            Message-ID: <CAJ4711x=+h@mail.gmail.com>
            Subject: Re: Your code to sign in
            To: Example <\(recipient)>
            Content-Type: multipart/alternative; boundary="0000000000006c1b2f05f9a1b2c3"

            --0000000000006c1b2f05f9a1b2c3
            Content-Type: text/plain; charset="UTF-8"

            \(number)

            On Sun, Nov 22, 2026 at 10:24\u{202f}AM Example <
            \(recipient)> wrote:

            > Your code:
            > 123456
            >

            --0000000000006c1b2f05f9a1b2c3
            Content-Type: text/html; charset="UTF-8"
            Content-Transfer-Encoding: quoted-printable

            <div dir=3D"ltr">\(number)</div><br><div class=3D"gmail_quote"><div dir=3D"l=
            tr">On Sun, Nov 22, 2026 Example wrote:</div></div>

            --0000000000006c1b2f05f9a1b2c3--
            """)
    }

    private var outlookOnTheWeb: ReplySample {
        message(
            "Outlook on the web",
            """
            From: "Lee, Ann" <\(address)>
            To: Example <\(recipient)>
            Subject: Re: Your code to sign in
            Thread-Topic: Your code to sign in
            Thread-Index: AQHbPL4711==
            Date: Sun, 22 Nov 2026 09:25:02 +0000
            Message-ID: <AM0PR04MB4711@AM0PR04MB4711.eurprd04.prod.outlook.com>
            In-Reply-To: <code.1@idp.example>
            Accept-Language: en-GB, en-US
            Content-Language: en-GB
            X-MS-Has-Attach:
            X-MS-TNEF-Correlator:
            Content-Type: multipart/alternative;
            \tboundary="_000_AM0PR04MB4711AM0PR04MB4711eurp_"
            MIME-Version: 1.0

            --_000_AM0PR04MB4711AM0PR04MB4711eurp_
            Content-Type: text/plain; charset="iso-8859-1"
            Content-Transfer-Encoding: quoted-printable

            \(number)

            Gr=FC=DFe
            ________________________________
            From: Example <\(recipient)>
            Sent: 22 November 2026 10:24
            To: Lee, Ann <\(address)>
            Subject: Your code to sign in

            Your code: 123456 1234

            --_000_AM0PR04MB4711AM0PR04MB4711eurp_
            Content-Type: text/html; charset="iso-8859-1"
            Content-Transfer-Encoding: quoted-printable

            <html><head><style>P {margin:0}</style></head><body><div>\(number)</div><hr tabindex=3D"-1"></body></html>

            --_000_AM0PR04MB4711AM0PR04MB4711eurp_--

            """)
    }

    private var outlookCom: ReplySample {
        message(
            "Outlook.com, which does not sign To",
            signed: "From:Date:Subject:Message-ID:Content-Type:MIME-Version:X-MS-Exchange-SenderADCheck",
            """
            From: Ann Lee <\(address)>
            To: Example <\(recipient)>
            Subject: RE: Your code to sign in
            Date: Sun, 22 Nov 2026 09:25:02 +0000
            Message-ID: <DB9P4711@DB9P4711.EURP192.PROD.OUTLOOK.COM>
            Content-Type: multipart/alternative; boundary="_000_DB9P_"
            MIME-Version: 1.0
            X-MS-Exchange-AntiSpam-MessageData-0: =?us-ascii?Q?4711aBc?=

            --_000_DB9P_
            Content-Type: text/plain; charset="us-ascii"
            Content-Transfer-Encoding: quoted-printable

            Number: \(number)

            Get Outlook for iOS<https://aka.ms/o0ukef>
            ________________________________
            From: Example <\(recipient)>
            Sent: Sunday, November 22, 2026 10:24:00 AM

            --_000_DB9P_
            Content-Type: text/html; charset="us-ascii"

            <html><body>Number: \(number)<div id="appendonsend"></div></body></html>
            --_000_DB9P_--
            """)
    }

    private var fastmail: ReplySample {
        message(
            "Fastmail",
            """
            MIME-Version: 1.0
            X-ThreadId: T4711abc
            Date: Sun, 22 Nov 2026 10:25:02 +0100
            From: "Ann Lee" <\(address)>
            To: Example <\(recipient)>
            Message-Id: <2f4711aa-6d3a-4f6e@app.fastmail.com>
            Subject: Re: Your code to sign in
            Content-Type: text/plain
            Content-Transfer-Encoding: 7bit

            \(number)

            On Sun, Nov 22, 2026, at 10:24 AM, Example wrote:
            > Your code: 123456
            """)
    }
}
