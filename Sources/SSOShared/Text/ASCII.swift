// Locale and Unicode have no influence on the formats that this package reads: a digit is one of ten bytes.
extension UInt8 {
    @inlinable package var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
    @inlinable package var isASCIIUpper: Bool { (0x41...0x5a).contains(self) }
    @inlinable package var isASCIILower: Bool { (0x61...0x7a).contains(self) }
    @inlinable package var isASCIILetter: Bool { isASCIIUpper || isASCIILower }
    @inlinable package var isASCIIHexDigit: Bool {
        isASCIIDigit || (0x41...0x46).contains(self) || (0x61...0x66).contains(self)
    }

    /// The lower-case form of a letter, any other byte as it is.
    @inlinable package var asciiLowercased: UInt8 { isASCIIUpper ? self | 0x20 : self }
}
