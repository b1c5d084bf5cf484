/// The lines of a text as bytes, ended by CRLF, LF or CR alike. Bytes, since `"\r\n"` is one `Character`.
enum TextLines {
    static func split(_ text: String) -> [ArraySlice<UInt8>] {
        let bytes = Array(text.utf8)
        var lines: [ArraySlice<UInt8>] = []
        var start = 0
        for (index, byte) in bytes.enumerated() where byte == 0x0a || byte == 0x0d {
            // The LF of a CRLF: its line has ended already.
            if byte == 0x0a, index > 0, bytes[index - 1] == 0x0d {
                start = index + 1
                continue
            }
            lines.append(bytes[start..<index])
            start = index + 1
        }
        if start < bytes.count { lines.append(bytes[start...]) }
        return lines
    }
}
