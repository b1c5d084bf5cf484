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
            for label in labels.split(separator: " ") { names[String(label)] = table }
        }
        return names
    }()

    private static let labels: [(table: String, labels: String)] = [
        (plain, "utf8 utf_8 unicode-1-1-utf-8 csutf8 cp65001"),
        (
            ascii,
            "ascii us ansi_x3.4-1968 ansi_x3.4-1986 iso646-us iso_646.irv:1991 iso-ir-6 csascii ibm367 cp367 cp20127 unknown-8bit "
                + "x-unknown"
        ),
        // Mail programs write the old name, and characters of the larger set.
        (
            "gb18030",
            "gb2312 gb_2312 gb_2312-80 euc-cn euccn cn-gb chinese csgb2312 csiso58gb231280 iso-ir-58 gbk csgbk cp936 ms936 "
                + "windows-936 gb-18030 csgb18030"
        ),
        ("cp932", "shift_jis shift-jis sjis ms_kanji csshiftjis cswindows31j"),
        (
            "cp949",
            "euc-kr euckr cseuckr ks_c_5601-1987 ks_c_5601-1989 csksc56011987 ksc5601 ksc_5601 korean iso-ir-149 ms949 windows-949"
        ),
        ("big5", "csbig5 x-big5 cn-big5 x-x-big5 cp950 windows-950"),
        ("iso-2022-jp-2", "iso-2022-jp-1 iso-2022-jp-ms cp50220 cp50221 cp50222"),
        ("euc-jp", "x-euc x-eucjp extended_unix_code_packed_format_for_japanese cp51932 cp20932"),
        (
            "iso-8859-1",
            "8859-1 isolatin1 iso-latin-1 latin-1 cp28591 iso-8859-1-windows-3.1-latin-1 iso-8859-1-windows-3.0-latin-1"
        ),
        ("iso-8859-2", "latin-2 iso-latin-2 cp28592"), ("iso-8859-9", "latin-5 cp28599"),
        ("iso-8859-15", "l9 latin9 latin-9 iso-latin-9 cp28605"), ("cp1252", "ansi"), ("cp858", "ccsid00858"),
        // Visual, implicit and explicit order (RFC 1556): the same bytes.
        ("iso-8859-6", "iso-8859-6-i iso-8859-6-e csiso88596i csiso88596e"),
        ("iso-8859-8", "iso-8859-8-i iso-8859-8-e csiso88598i csiso88598e logical visual"),
        ("cp874", "dos-874"), ("koi8-r", "koi koi8"), ("mac", "x-mac-roman mac-roman"),
        ("mac-cyrillic", "x-mac-cyrillic"), ("mac-uk", "x-mac-ukrainian"),
        ("mac-centraleurope", "x-mac-ce x-mac-centraleurroman"),
        ("utf-7", "unicode-1-1-utf-7 csunicode11utf7 csutf7 cp65000"),
        ("ucs-2be", "iso-10646-ucs-2 csunicode"), ("ucs-4be", "iso-10646-ucs-4 csucs4"),
        ("utf-16", "csutf16"), ("utf-16be", "csutf16be"), ("utf-16le", "csutf16le cp1200"),
        ("utf-32", "csutf32"), ("utf-32be", "csutf32be"), ("utf-32le", "csutf32le"),
    ]

    /// The name, and how others write it: without `x-`, `cs` or the year, with `-` for `_`, and a code page by its number.
    static func candidates(_ label: String) -> [String] {
        var found = [label]
        func add(_ name: Substring) { if !name.isEmpty, !found.contains(String(name)) { found.append(String(name)) } }
        for prefix in ["x-", "cs"] where label.hasPrefix(prefix) { add(label.dropFirst(prefix.count)) }
        for name in found {
            add(name.prefix { $0 != ":" })
            add(Substring(name.map { $0 == "_" ? "-" : String($0) }.joined()))
        }
        for name in found {
            let page = name.reversed().prefix { $0.isASCII && $0.isNumber }.reversed()
            let word = name.dropLast(page.count).filter { $0 != "-" && $0 != "_" }
            let number = page.drop { $0 == "0" }
            guard ["cp", "ibm", "windows", "win", "ms", "dos", "cpdos"].contains(word), !number.isEmpty else {
                continue
            }
            add("cp" + String(number))
        }
        return found
    }
}
