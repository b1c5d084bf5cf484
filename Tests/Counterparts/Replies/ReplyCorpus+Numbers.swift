@testable import IdPInboundMail

/// Texts in which the number is not what the author typed, or no number of four digits.
extension ReplyCorpus {
    var numbers: [ReplySample] { quotedNumbers + htmlNumbers + notNumbers + wrongNumbers }

    private func text(_ name: String, _ reason: ReplyMessageError, _ lines: String...) -> ReplySample {
        hostile("text: \(name)", reason) { $0.text = lines }
    }

    private var quotedNumbers: [ReplySample] {
        [
            text("quoted", .noNumber, "Hello", "> \(number)"),
            text("quoted twice", .noNumber, ">> \(number)", "> \(number)"),
            text("quoted with spaces before", .noNumber, "  > \(number)"),
            text("quoted behind a no-break space", .noNumber, "\u{a0}> \(number)"),
            text("below On … wrote:", .noNumber, "Hello", "", "On Sun, 22 Nov 2026, Example wrote:", "", "\(number)"),
            text(
                "below On … wrote: in two lines", .noNumber, "On Sun, 22 Nov 2026, Example <", "\(recipient)>",
                "wrote:",
                "", number),
            text("in the line On … wrote:", .noNumber, "On Sun, 22 Nov 2026, \(number) wrote: \(number)"),
            text("below Am … schrieb:", .noNumber, "Am 22.11.2026 um 10:24 schrieb Example:", "", number),
            text(
                "below Am … schrieb in two lines", .noNumber, "Am So., 22. Nov. 2026 um 10:24 Uhr schrieb Example <",
                "\(recipient)>:", "", number),
            text("below Le … a écrit :", .noNumber, "Le 22 nov. 2026 à 10:24, Example a écrit :", "", number),
            text("below Original Message", .noNumber, "Hello", "-----Original Message-----", number),
            text("below Ursprüngliche Nachricht", .noNumber, "-----Ursprüngliche Nachricht-----", number),
            text(
                "below a line and From:", .noNumber, "Hello", "________________________________", "From: Example",
                "Sent: Sunday", number),
            text("below Von:", .noNumber, "Von: Example", "Gesendet: Sonntag", "An: Ann", "Betreff: Code", "", number),
            text("below a bold From:", .noNumber, "*From:* Example", "*Sent:* Sunday", number),
            text(
                "in a forwarded message", .noNumber, "See below", "---------- Forwarded message ---------",
                "From: Example", "", number),
            text(
                "in a message forwarded by Apple Mail", .noNumber, "Begin forwarded message:", "", "> From: Example",
                "", number),
            text("in the signature", .noNumber, "Hello", "-- ", "Ann Lee", "Room \(number)"),
            text("in a signature without the space", .noNumber, "Hello", "--", number),
        ]
    }

    private var htmlNumbers: [ReplySample] {
        let quoted: [(name: String, html: String)] = [
            ("a blockquote", "<p>Hello</p><blockquote type=\"cite\">\(number)</blockquote>"),
            ("a quotation of Gmail", "<div>Hello</div><div class=\"gmail_quote\">\(number)</div>"),
            ("a quotation of Outlook", "<p>Hello</p><div id=\"divRplyFwdMsg\">From: x</div><div>\(number)</div>"),
            ("a quotation of Outlook with a prefix", "<p>Hello</p><div id=\"x_divRplyFwdMsg\">\(number)</div>"),
            ("below the rule of Outlook", "<p>Hello</p><hr tabindex=\"-1\"><div>\(number)</div>"),
            ("below the mark of Outlook", "<p>Hello</p><div id=appendonsend></div><div>\(number)</div>"),
            ("a quotation of Thunderbird", "<p>Hello</p><div class=\"moz-cite-prefix\">x</div><p>\(number)</p>"),
            ("a quotation of GMX", "<p>Hello</p><div name=\"quote\" style=\"margin:10px\">\(number)</div>"),
            ("a quotation of Yahoo", "<p>Hello</p><div id=\"yahoo_quoted_12\">\(number)</div>"),
            (
                "below bold header lines",
                "<p>Hello</p><p><b>From:</b> Example<br><b>Sent:</b> Sunday</p><p>\(number)</p>"
            ),
            ("below On … wrote:", "<p>Hello</p><p>On Sunday Example wrote:</p><p>\(number)</p>"),
            ("a comment", "<p>Hello <!-- \(number) --></p>"),
            ("a comment that does not end", "<p>Hello <!-- \(number)"),
            ("a style", "<style>p { order: \(number) }</style><p>Hello</p>"),
            ("a script", "<SCRIPT>\(number)</SCRIPT ><p>Hello</p>"),
            ("a script that does not end", "<script>x</scrip \(number)"),
            ("the head", "<html><head><title>\(number)</title></head><body>Hello</body>"),
            ("an attribute", "<p title=\"> \(number) \">Hello</p>"),
            ("a tag that does not end", "<p title=\"\(number)"),
            ("a declaration", "<!DOCTYPE \(number)><p>Hello</p>"),
            ("cells of a table", "<table><tr><td>\(number.prefix(2))</td><td>\(number.suffix(2))</td></tr></table>"),
        ]
        return quoted.map { name, html in hostile("html: \(name)", .noNumber) { $0.html(html) } }
    }

    private var notNumbers: [ReplySample] {
        let spaced = number.map(String.init)
        let texts = [
            "Hello", "1\(number)", "\(number)1", "a\(number)", "\(number)a", "ü\(number)", "\(number)\u{301}",
            "1.\(number)", "\(number).5", "\(number),00", "1,\(number)", "\(number)-11-22", "030-\(number)",
            "22/11/\(number)",
            "12:\(number)", "\(number)½", "²\(number)",
            spaced.map { "\($0)\u{fe0f}\u{20e3}" }.joined(), "\(number)\u{fe0f}\u{20e3}", "\(number)\u{661}",
            "\(number.dropLast())", "\(number.dropLast())O", "I got 123456.",
            "I see \(number.prefix(2)) \(number.suffix(2))", "\(number.prefix(2)) \(number.suffix(2)) 11",
            "\(number.prefix(2))\t\(number.suffix(2))", "\(number.prefix(2)).\(number.suffix(2))",
            "\(number.prefix(2))-\(number.suffix(2))", "\(number.prefix(3)) \(number.suffix(2))",
        ]
        return texts.map { text("no number: \($0)", .noNumber, $0) }
    }

    private var wrongNumbers: [ReplySample] {
        [
            text("two numbers", .severalNumbers, "\(number) \(otherNumber)"),
            text("two numbers and lines without one", .severalNumbers, "Hello", "*\(number)* \(otherNumber)", "Bye"),
            text(
                "two numbers in groups", .noNumber,
                "\(number.prefix(2)) \(number.suffix(2)) \(otherNumber.prefix(2)) \(otherNumber.suffix(2))"),
            sample("text: in a sentence above another number alone", .otherNumber(otherNumber)) {
                $0.text = ["It is \(number)", otherNumber]
            },
            text("all numbers", .severalNumbers, (1000..<9999).map(String.init).joined(separator: " ")),
            sample("text: another number", .otherNumber(otherNumber)) { $0.text = [otherNumber] },
            sample("text: another number first", .otherNumber(otherNumber)) { $0.text = [otherNumber, number] },
        ]
    }
}
