/// A place in a file, as an editor shows it.
public struct SourcePosition: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// From 1. A line ends at LF, CR or CR LF.
    public let line: Int
    /// From 1, counted in Unicode code points.
    public let column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// `LINE:COLUMN`.
    public var description: String { "\(line):\(column)" }

    public static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}
