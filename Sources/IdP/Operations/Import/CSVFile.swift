import SSOShared

/// The records of a CSV file (RFC 4180), with the lines on which they begin. Takes UTF-8 with or without a byte order mark, and
/// lines that end with CRLF or LF.
package struct CSVFile: Sendable {
    /// One thing that is wrong.
    package struct LineError: Sendable, Equatable {
        /// The first line is 1.
        package let line: Int
        package let text: String

        package init(line: Int, _ text: String) { (self.line, self.text) = (line, text) }
    }

    struct Record: Sendable, Equatable {
        let line: Int
        let fields: [String]
    }

    private(set) var records: [Record] = []
    private(set) var faults: [LineError] = []

    init(_ bytes: [UInt8]) {
        let rest = Entered.withoutByteOrderMark(bytes)
        guard String(validating: rest, as: UTF8.self) != nil else {
            faults = [LineError(line: Self.firstLineOutsideUTF8(rest), "is not UTF-8. Save the file as CSV in UTF-8.")]
            return
        }
        var reader = Reader(rest)
        while let outcome = reader.next() {
            switch outcome {
            case .success(let record): if record.fields != [""] { records.append(record) }
            case .failure(let fault): faults.append(fault.fault)
            }
        }
    }

    private static func firstLineOutsideUTF8(_ bytes: ArraySlice<UInt8>) -> Int {
        let lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false)
        return (lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0) + 1
    }

    private struct ReadingError: Error { let fault: LineError }

    /// Reads one record after the other. After a fault it goes on with the next line.
    private struct Reader {
        private static let (quote, comma, cr, lf) = (UInt8(0x22), UInt8(0x2c), UInt8(0x0d), UInt8(0x0a))

        private let bytes: ArraySlice<UInt8>
        private var index: Int
        private var line = 1

        init(_ bytes: ArraySlice<UInt8>) { (self.bytes, index) = (bytes, bytes.startIndex) }

        mutating func next() -> Result<Record, ReadingError>? {
            guard index < bytes.endIndex else { return nil }
            let start = line
            var fields: [String] = []
            do throws(ReadingError) {
                while true {
                    fields.append(String(decoding: try field(), as: UTF8.self))
                    guard try endOfField() else { continue }
                    return .success(Record(line: start, fields: fields))
                }
            } catch {
                while index < bytes.endIndex, bytes[index] != Self.lf { index += 1 }
                if index < bytes.endIndex { advanceLine() }
                return .failure(error)
            }
        }

        private mutating func field() throws(ReadingError) -> [UInt8] {
            if index < bytes.endIndex, bytes[index] == Self.quote { return try quotedField() }
            var value: [UInt8] = []
            while index < bytes.endIndex, ![Self.comma, Self.cr, Self.lf].contains(bytes[index]) {
                guard bytes[index] != Self.quote else {
                    throw fault(
                        "has a quotation mark inside a value. Put the whole value into quotation marks, and double the one in it."
                    )
                }
                value.append(bytes[index])
                index += 1
            }
            return value
        }

        private mutating func quotedField() throws(ReadingError) -> [UInt8] {
            let start = (index, line)
            index += 1
            var value: [UInt8] = []
            while index < bytes.endIndex {
                let byte = bytes[index]
                if byte == Self.quote {
                    index += 1
                    guard index < bytes.endIndex, bytes[index] == Self.quote else { return value }
                } else if byte == Self.lf {
                    line += 1
                }
                value.append(byte)
                index += 1
            }
            (index, line) = start
            throw fault("has a quotation mark that is never closed.")
        }

        /// - Returns: whether the record ends here.
        private mutating func endOfField() throws(ReadingError) -> Bool {
            guard index < bytes.endIndex else { return true }
            switch bytes[index] {
            case Self.comma:
                index += 1
                return false
            case Self.lf:
                advanceLine()
                return true
            case Self.cr where index + 1 < bytes.endIndex && bytes[index + 1] == Self.lf:
                index += 1
                advanceLine()
                return true
            case Self.cr where index + 1 == bytes.endIndex:
                index += 1
                return true
            case Self.cr: throw fault("has a carriage return alone. Lines end with CRLF or LF.")
            default: throw fault("has text after a closing quotation mark. A comma or the end of the line must follow.")
            }
        }

        private mutating func advanceLine() {
            index += 1
            line += 1
        }

        private func fault(_ text: String) -> ReadingError { ReadingError(fault: LineError(line: line, text)) }
    }
}
