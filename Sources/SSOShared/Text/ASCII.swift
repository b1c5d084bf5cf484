// Locale and Unicode have no influence on the formats that this package reads: a digit is one of ten bytes.
extension UInt8 {
    package var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
    package var isASCIIUpper: Bool { (0x41...0x5a).contains(self) }
    package var isASCIILower: Bool { (0x61...0x7a).contains(self) }
    package var isASCIILetter: Bool { isASCIIUpper || isASCIILower }
    package var isASCIIHexDigit: Bool { isASCIIDigit || (0x41...0x46).contains(self) || (0x61...0x66).contains(self) }

    /// The lower-case form of a letter, any other byte as it is.
    package var asciiLowercased: UInt8 { isASCIIUpper ? self | 0x20 : self }
}
