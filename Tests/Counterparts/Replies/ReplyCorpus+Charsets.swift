import Foundation

@testable import IdPInboundMail

/// Replies in the character sets of mail programs, and bytes that look like digits and are none.
extension ReplyCorpus {
    var charsets: [ReplySample] {
        lettersBeforeAndAfter.map { charset, before, after in
            inCharset("charset: \(charset), \(before)", charset, hex(before) + digits + hex(after) + [0x0a], .accepted)
        } + wideCharsets + faultyBytes
    }

    var hostileCharsets: [ReplySample] {
        let kanji = hex("1b24422122") + digits + hex("21231b2842")
        return [
            inCharset("charset: an unknown one", "x-evil", digits, .rejected(.charset)),
            inCharset(
                "charset: a name with an option of iconv", "\"iso-8859-1//TRANSLIT\"", digits, .rejected(.charset)),
            inCharset("charset: a name that follows the machine", "wchar_t", digits, .rejected(.charset)),
            inCharset("charset: an empty name", "\"\"", digits, .rejected(.charset)),
            inCharset("charset: a name with a line end", "\"utf-8\r\n x\"", digits, .rejected(.charset)),
            inCharset(
                "charset: Chinese characters of digits in ISO-2022-JP", "iso-2022-jp", kanji, .rejected(.noNumber)),
            inCharset("charset: the same without a name", nil, kanji, .rejected(.noNumber)),
            inCharset(
                "charset: a broken escape before digits", "iso-2022-jp", hex("1b244221ff") + digits,
                .rejected(.noNumber)),
            inCharset(
                "charset: four-byte characters of digits in GB 18030", "gb18030", digits.flatMap { [0x81, $0] },
                .rejected(.noNumber)),
            inCharset(
                "charset: a byte without a meaning before the digits", "gb18030", [0x81] + digits, .rejected(.noNumber)),
            inCharset(
                "charset: two characters whose bytes are digits", "utf-16be", digits + digits, .rejected(.noNumber)),
            inCharset("charset: ASCII for EBCDIC", "ibm037", digits, .rejected(.noNumber)),
            inCharset(
                "charset: an overlong digit", "utf-8", digits.dropLast() + [0xc0, 0xb1], .rejected(.noNumber)),
            inCharset("charset: a surrogate behind the digits", "utf-8", digits + hex("eda080"), .rejected(.noNumber)),
        ]
    }

    private var digits: [UInt8] { Array(number.utf8) }

    private func inCharset(
        _ name: String, _ charset: String?, _ bytes: [UInt8], _ expectation: ReplySample.Expectation
    ) -> ReplySample {
        sample(name, expectation) {
            $0.mime = [
                "Content-Type: text/plain" + (charset.map { "; charset=\($0)" } ?? ""),
                "Content-Transfer-Encoding: base64",
            ]
            $0.text = [Data(bytes).base64EncodedString()]
        }
    }

    private func hex(_ text: String) -> [UInt8] {
        let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
    }

    /// What stands before and after the number, encoded by Python 3.11.
    private var lettersBeforeAndAfter: [(charset: String, before: String, after: String)] {
        [
            ("iso-8859-2", "c8ed736c6f3a20", "20be6c75bb6f75e86bfd"), ("ISO-8859-7", "c1f1e9e8ecfcf220", ""),
            ("iso-8859-8-i", "e4eef1f4f820", ""), ("ISO-8859-9", "536179fd3a20", "20fe696d6469"),
            ("windows-1250", "c8ed736c6f3a20", "209e6c759d6f75e86bfd"),
            ("Windows-1251", "d7e8f1ebee20", "20f1efe0f1e8e1ee"), ("windows-1252", "4772fcdf652096", "93"),
            ("windows-1255", "e4eef1f4f820", ""), ("windows-1256", "c7e1d1dee320", ""),
            ("koi8-r", "fec9d3cccf20", "20d3d0c1d3c9c2cf"), ("KOI8-U", "fec9d3cccf20", "20c4d1cbd5c0"),
            ("cp-850", "477281e16520", "20668172"), ("IBM866", "97a8e1abae20", ""),
            ("macintosh", "47729fa76520", "20669f72"), ("tis-620", "cbc1d2c2e0c5a220", ""),
            ("iso-2022-jp", "1b244248563966244f1b284220", "201b2442244724391b2842"),
            ("csISO2022JP", "1b244248563966244f1b284220", "201b2442244724391b2842"),
            ("us-ascii", "1b244248563966244f1b284220", "201b2442244724391b2842"),
            ("x-sjis", "94d48d8682cd20", "2082c582b7"), ("Shift_JIS", "87402094d48d8682cd20", "2082c582b7"),
            ("euc-jp", "c8d6b9e6a4cf20", "20a4c7a4b9"), ("GB18030", "d1e9d6a4c2eb20", "2095328236"),
            ("gb2312", "f29ed743b46120", "20e946"), ("gbk", "d1e9d6a4c2eb20", "20d0bbd0bb"),
            ("big5", "c5e7c3d2bd5820", "20c1c2c1c2"), ("cn-big5", "c5e7c3d2bd5820", "20c1c2c1c2"),
            ("ks_c_5601-1987", "b9f8c8a320", "208c63"), ("euc-kr", "b9f8c8a320", "20b0a8bbe7"),
            ("unicode-1-1-utf-7", "47722b4150774133772d6520", "20662b4150772d72"),
            ("\"iso-8859-1\" (Latin)", "4772fcdf6520", "2066fc72"), ("ISO_8859-1:1987", "4772fcdf6520", "2066fc72"),
            ("utf8", "4772c3bcc39f6520", "2066c3bc72"), ("unknown-8bit", "4772c3bcc39f6520", "2066c3bc72"),
        ]
    }

    /// Sets in which a digit is not its ASCII byte.
    private var wideCharsets: [ReplySample] {
        func wide(_ charset: String, _ bytes: [UInt8]) -> ReplySample {
            inCharset("charset: \(charset)", charset, bytes, .accepted)
        }
        return [
            wide("utf-16", [0xff, 0xfe] + digits.flatMap { [$0, 0] }), wide("UTF-16BE", digits.flatMap { [0, $0] }),
            wide("utf-32be", digits.flatMap { [0, 0, 0, $0] }), wide("ibm037", digits.map { $0 + 0xc0 }),
            wide("utf-7", Array("+".utf8) + base64OfUTF16 + Array("-".utf8)),
        ]
    }

    private var base64OfUTF16: [UInt8] {
        let text = Data(digits.flatMap { [0, $0] }).base64EncodedString()
        return text.utf8.filter { $0 != UInt8(ascii: "=") }
    }

    /// Bytes that the named set does not have, apart from the number.
    private var faultyBytes: [ReplySample] {
        func faulty(_ name: String, _ charset: String?, before: String = "", after: String) -> ReplySample {
            inCharset("faulty: \(name)", charset, hex(before) + digits + hex(after), .accepted)
        }
        return [
            faulty("a byte of Latin 1 in UTF-8", "utf-8", after: "20fc"),
            faulty("a cut character in UTF-8", "utf-8", before: "c3bc20", after: "20c3"),
            faulty("letters in ASCII", "us-ascii", after: "20c3bc"),
            faulty("letters of Latin 1 without a name", nil, before: "4772fcdf6520", after: "20fc"),
            faulty("controls in ISO 8859-1", "iso-8859-1", after: "2085"),
            faulty("bytes that Windows 1252 lacks", "windows-1252", before: "818d20", after: ""),
            faulty("a lead byte at the end", "gb18030", after: "2081"),
            faulty("a lead byte before a blank", "big5", before: "a420", after: ""),
            faulty("a broken escape in another line", "iso-2022-jp", before: "1b244221ff0a", after: ""),
            sample("faulty: 8-bit letters and no MIME", .accepted) {
                $0.mime = []
                $0.text = ["\(number) grüße"]
            },
        ]
    }
}
