/// Names of character sets that iconv does not know, or reads more narrowly than mail programs mean them.
extension Charset {
    static let plain = "utf-8"
    /// Also stands for text that does not say what it is (RFC 1428). Read as UTF-8, of which it is a part.
    static let ascii = "us-ascii"

    /// From the IANA registry of character sets, the WHATWG Encoding Standard 4.2 (labels) and the numbers of code pages of
    /// Windows. All names in lower case.
    static let names: [String: String] = {
        var names: [String: String] = [:]
        for (table, labels) in labels {
            for label in labels.split(separator: " ") {
                names[String(label)] = table
                names[squeezed(String(label))] = table
            }
        }
        return names
    }()

    /// Without the signs that programs exchange for each other: `ks_c_5601_1987` is `ks_c_5601-1987`.
    static func squeezed(_ name: String) -> String { name.filter { $0 != "-" && $0 != "_" && $0 != "." && $0 != ":" } }

    private static let labels: [(table: String, labels: String)] = western + eastern + unicode + rare

    private static let western: [(table: String, labels: String)] = [
        (
            ascii,
            "ascii us 646 ansi_x3.4-1968 ansi_x3.4-1986 iso646-us iso_646.irv:1991 iso-ir-6 csascii ibm367 cp367 cp20127 "
                + "unknown-8bit csunknown8bit x-unknown"
        ),
        ("iso-8859-1", "isolatin1 iso-latin-1 iso-latin1 latin-1"),
        ("iso-8859-2", "latin-2 iso-latin-2"), ("iso-8859-9", "latin-5"),
        // Visual, implicit and explicit order (RFC 1556): the same bytes.
        ("iso-8859-6", "iso-8859-6-i iso-8859-6-e csiso88596i csiso88596e"),
        ("iso-8859-7", "sun_eu_greek"),
        (
            "iso-8859-8",
            "iso-8859-8-i iso-8859-8-e iso-8859-8-visual csiso88598i csiso88598e logical visual cp38598"
        ),
        ("iso-8859-15", "l9 latin9 latin-9 iso-latin-9 csisolatin9 latin0"),
        ("cp1250", "iso-8859-2-windows-latin-2 cswindows31latin2"),
        (
            "cp1252",
            "ansi iso-8859-1-windows-3.0-latin-1 iso-8859-1-windows-3.1-latin-1 cswindows30latin1 cswindows31latin1"
        ),
        ("cp1254", "iso-8859-9-windows-latin-5 cswindows31latin5"), ("cp858", "pc-multilingual-850+euro"),
        ("cp861", "cp-is"), ("cp904", "csibbm904"), ("cp874", "dos-874"), ("tis-620", "tis-620-2533"),
        ("koi8-r", "koi koi8 cp20866"), ("koi8-u", "cp21866"), ("ecma-cyrillic", "koi8-e"),
        ("rk1048", "kz-1048 cskz1048"), ("pt154", "ptcp154 csptcp154 cp154 cyrillic-asian"),
        ("macintosh", "x-mac-roman mac-roman macroman cp10000"), ("mac-is", "x-mac-icelandic maciceland cp10079"),
        ("mac-cyrillic", "x-mac-cyrillic cp10007"), ("mac-uk", "x-mac-ukrainian macukraine cp10017"),
        ("mac-centraleurope", "x-mac-ce x-mac-centraleurroman maccentraleurope cp10029"),
    ]

    private static let eastern: [(table: String, labels: String)] = [
        // Mail programs write the old name, and characters of the larger set.
        (
            "gb18030",
            "gb2312 gb_2312 gb_2312-80 gb2312.1980-0 euc-cn euc-gb cn-gb chinese csgb2312 csiso58gb231280 iso-ir-58 gbk csgbk "
                + "cp936 ms936 windows-936 gb-18030 csgb18030 cp20936 cp51936 cp54936"
        ),
        ("cp932", "shift_jis shift-jis sjis ms_kanji csshiftjis cswindows31j"),
        (
            "cp949",
            "euc-kr cseuckr ks_c_5601 ks_c_5601-1987 ks_c_5601-1989 csksc56011987 ksc5601 korean iso-ir-149 ms949 "
                + "windows-949 cp20949 cp51949"
        ),
        ("big5", "csbig5 x-big5 cn-big5 x-x-big5 cp950 windows-950"), ("big5-hkscs", "big5hk"),
        ("iso-2022-jp-2", "iso-2022-jp-1 iso-2022-jp-ms windows-iso2022jp cp50220 cp50221 cp50222"),
        ("euc-jp", "x-euc x-eucjp extended_unix_code_packed_format_for_japanese cp51932 cp20932"),
    ]

    private static let unicode: [(table: String, labels: String)] = [
        (
            plain,
            "utf8 utf_8 unicode-1-1-utf-8 unicode-2-0-utf-8 unicode11utf8 unicode20utf8 csutf8 cesu-8 cscesu-8 utf-8-sig cp65001"
        ),
        ("utf-7", "unicode-1-1-utf-7 csunicode11utf7 csutf7 cp65000"), ("utf-7-imap", "csutf7imap"),
        ("ucs-2be", "iso-10646-ucs-2 csunicode unicode-1-1 csunicode11"), ("ucs-4be", "iso-10646-ucs-4 csucs4"),
        ("utf-16", "csutf16"), ("utf-16be", "csutf16be unicodefffe cp1201"),
        ("utf-16le", "csutf16le unicodefeff cp1200"),
        ("utf-32", "csutf32"), ("utf-32be", "csutf32be cp12001"), ("utf-32le", "csutf32le cp12000"),
    ]

    /// Names of the registry that no mail program is known to write.
    private static let rare: [(table: String, labels: String)] = [
        ("iso646-pt", "csiso16portuguese"), ("iso646-cn", "csiso57gb1988"), ("iso646-ca", "csa71"),
        ("iso646-ca2", "csa72"), ("iso_5427", "csiso54271981 iso5427cyrillic1981"),
        ("iso_11548-1", "iso-11548-1 iso_tr_11548-1 csiso115481"), ("ebcdic-at-de", "csibmebcdicatde"),
        ("cp037", "cp37"),
        ("cp1140", "ebcdic-us-37+euro"), ("cp1141", "ebcdic-de-273+euro"),
        ("cp1142", "ebcdic-dk-277+euro ebcdic-no-277+euro"), ("cp1143", "ebcdic-fi-278+euro ebcdic-se-278+euro"),
        ("cp1144", "ebcdic-it-280+euro"), ("cp1145", "ebcdic-es-284+euro"), ("cp1146", "ebcdic-gb-285+euro"),
        ("cp1147", "ebcdic-fr-297+euro"), ("cp1148", "ebcdic-international-500+euro"),
        ("cp1149", "ebcdic-is-871+euro"),
    ]

    /// The name, and how others write it: without `x-`, `cs` or the year, with `-` for `_`, and a code page by its number.
    static func candidates(_ label: String) -> [String] {
        var found = [label]
        func add(_ name: Substring) { if !name.isEmpty, !found.contains(String(name)) { found.append(String(name)) } }
        for prefix in ["x-", "cs"] where label.hasPrefix(prefix) { add(label.dropFirst(prefix.count)) }
        for name in found {
            add(name.prefix { $0 != ":" })
            add(Substring(name.map { $0 == "_" ? "-" : String($0) }.joined()))
            if name.hasPrefix("8859-") || name.hasPrefix("8859_") { add("iso-8859-\(name.dropFirst(5))") }
        }
        for name in found {
            let page = name.reversed().prefix { $0.isASCII && $0.isNumber }.reversed()
            let word = name.dropLast(page.count).filter { $0 != "-" && $0 != "_" }
            let number = page.drop { $0 == "0" }
            guard ["cp", "ibm", "ccsid", "windows", "win", "ms", "dos", "cpdos"].contains(word), !number.isEmpty else {
                continue
            }
            // Windows numbers the parts of ISO 8859 from 28591 on.
            let part = (Int(String(number)) ?? 0) - 28590
            add((1...16).contains(part) ? "iso-8859-\(part)" : "cp" + String(number))
        }
        return found
    }
}
