/// One step of a compiled pattern.
struct PatternCode: RawRepresentable, Sendable, Hashable {
    let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }

    /// That byte.
    static func byte(_ byte: UInt8) -> PatternCode { PatternCode(rawValue: UInt32(byte)) }
    /// `?`: one character.
    static let one = PatternCode(rawValue: 0x100)
    /// `*`: any number of characters.
    static let star = PatternCode(rawValue: 0x101)
    /// A `*` that stops at a slash.
    static let segment = PatternCode(rawValue: 0x102)
    /// One byte of a set, by its place in ``LinkPattern/sets``.
    static func set(_ index: Int) -> PatternCode { PatternCode(rawValue: 0x1_0000 | UInt32(index & 0xffff)) }
    /// A value of a list, by its place in ``LinkPattern/lists``.
    static func list(_ index: Int) -> PatternCode { PatternCode(rawValue: 0x2_0000 | UInt32(index & 0xffff)) }

    static let slash = PatternCode.byte(0x2f)

    var literal: UInt8? { rawValue < 0x100 ? UInt8(rawValue) : nil }
    var setIndex: Int? { rawValue >> 16 == 1 ? Int(rawValue & 0xffff) : nil }
    var listIndex: Int? { rawValue >> 16 == 2 ? Int(rawValue & 0xffff) : nil }
    var isList: Bool { rawValue >> 16 == 2 }
}
