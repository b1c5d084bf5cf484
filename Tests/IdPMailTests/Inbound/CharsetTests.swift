import Testing

@testable import IdPInboundMail
@testable import SSOShared
@testable import TestKit

@Suite("Replies by email: names of character sets", .rules)
struct CharsetTests {
    @Test("a name of IANA, WHATWG or Windows is read by the table that iconv has under another name")
    func names() throws {
        for (name, hex, text) in Self.vectors {
            let charset = try #require(Charset(Array(name.utf8)), "\(name)")
            let bytes = try #require(Hex.decode(hex), "\(name)")
            #expect(try String(decoding: charset.utf8(bytes), as: UTF8.self) == text, "\(name)")
        }
    }

    @Test("names of no table, with options of iconv, or of the machine are not read")
    func unknown() {
        for name in [
            "hz-gb-2312", "x-evil", "utf-8//IGNORE", "wchar_t", "internal", "", "''", "utf-8 x", "x-user-defined",
        ] {
            #expect(Charset(Array(name.utf8)) == nil, "\(name)")
        }
    }

    @Test("ASCII is the same bytes in the sets of mail programs, and is not in UTF-7, UTF-16 and EBCDIC")
    func ascii() {
        func hasASCII(_ name: String) -> Bool? { Charset(Array(name.utf8))?.hasASCII }
        for name in [
            "utf-8", "us-ascii", "iso-8859-1", "koi8-r", "iso-2022-jp", "shift_jis", "euc-kr", "gb18030", "big5",
            "johab",
        ] {
            #expect(hasASCII(name) == true, "\(name)")
        }
        for name in ["utf-7", "utf-7-imap", "utf-16", "utf-16be", "utf-32le", "ibm037", "cp1140"] {
            #expect(hasASCII(name) == false, "\(name)")
        }
    }

    /// The name, a text in it as Python 3.11 encodes it, and the text.
    private static let vectors: [(name: String, hex: String, text: String)] = [
        ("KZ-1048", "8de0ebe0", "Қала"),
        ("csKZ1048", "a3ebe5ec", "Әлем"),
        ("PTCP154", "8de0ebe0", "Қала"),
        ("csPTCP154", "aaebe5ec", "Әлем"),
        ("CP154", "81", "Ғ"),
        ("Cyrillic-Asian", "87", "Ү"),
        ("csISOLatin9", "323020a4", "20 €"),
        ("unicodeFFFE", "006e00e9", "né"),
        ("unicodeFEFF", "6e00e900", "né"),
        ("unicode11utf8", "6ec3a9", "né"),
        ("unicode20utf8", "6ec3a9", "né"),
        ("x-unicode20utf8", "6ec3a9", "né"),
        ("sun_eu_greek", "e3e5e9dc", "γειά"),
        ("csWindows30Latin1", "6ee9", "né"),
        ("csWindows31Latin1", "936ee994", "“né”"),
        ("csWindows31Latin2", "9e6c759d", "žluť"),
        ("ISO-8859-2-Windows-Latin-2", "9e6c759d", "žluť"),
        ("csWindows31Latin5", "fede", "şŞ"),
        ("ISO-8859-9-Windows-Latin-5", "fdf0", "ığ"),
        ("cp-is", "8da272", "Þór"),
        ("PC-Multilingual-850+euro", "d582", "€é"),
        ("x-macroman", "6e8ea5", "né•"),
        ("macroman", "6e8ea5", "né•"),
        ("cp10000", "6e8ea5", "né•"),
        ("x-mac-icelandic", "de9772", "Þór"),
        ("cp10079", "de9772", "Þór"),
        ("x-mac-ce", "ec", "ž"),
        ("cp10007", "84e0", "Да"),
        ("cp51949", "b9f8c8a3", "번호"),
        ("ks_c_5601_1987", "b9f8c8a3", "번호"),
        ("ksc5601-1987", "b9f8c8a3", "번호"),
        ("646", "616263", "abc"),
        ("csunknown8bit", "6ec3a9", "né"),
        ("cp20866", "e4c1", "Да"),
        ("cp21866", "b7d6c1cb", "Їжак"),
        ("cp28605", "a4", "€"),
        ("cp28597", "e3", "γ"),
        ("8859_15", "a4", "€"),
        ("cp1201", "006e00e9", "né"),
        ("cp12000", "6e000000e9000000", "né"),
        ("cp12001", "0000006e000000e9", "né"),
        ("cp54936", "d1e9d6a4c2eb", "验证码"),
        ("x-cp20936", "d6a4", "证"),
        ("cp51936", "d6a4", "证"),
        ("ccsid00858", "d5", "€"),
        ("CCSID01140", "9f81", "€a"),
        ("ebcdic-us-37+euro", "9f81", "€a"),
        ("cp37", "8182", "ab"),
        ("x-windows-iso2022jp", "1b2442467c4b5c1b2842", "日本"),
        ("Big5HK", "adbbb4e4", "香港"),
        ("latin0", "a4", "€"),
        ("ISO-8859-8-visual", "e0e1", "אב"),
        ("iso-10646-ucs-2", "006e00e9", "né"),
        ("Unicode-1-1", "006e00e9", "né"),
        ("'utf-8'", "6ec3a9", "né"),
        ("\"KOI8-R\",", "e4c1", "Да"),
    ]
}
