/// The modules of a QR code while it is drawn (ISO/IEC 18004:2015, sections 6.3, 7.7 and 7.9).
struct QRSymbol {
    private(set) var modules: [[Bool]]
    /// Modules of the function patterns, which masks do not change.
    private var isFixed: [[Bool]]
    private let side: Int

    /// Draws the function patterns and the codewords without a mask.
    init(version: QRVersion, codewords: [UInt8]) {
        side = version.side
        modules = Array(repeating: Array(repeating: false, count: side), count: side)
        isFixed = modules
        drawTiming()
        for (x, y) in [(3, 3), (side - 4, 3), (3, side - 4)] { drawFinder(x, y) }
        drawAlignments(version.alignmentCentres)
        drawVersion(version.number)
        drawFormat(mask: 0)
        place(codewords)
    }

    func masked(by mask: QRMask) -> QRSymbol {
        var symbol = self
        for y in 0..<side {
            for x in 0..<side where !isFixed[y][x] && mask.inverts(x: x, y: y) { symbol.modules[y][x].toggle() }
        }
        symbol.drawFormat(mask: mask.rawValue)
        return symbol
    }

    var penalty: Int { QRPenalty.of(modules) }

    private mutating func fix(_ x: Int, _ y: Int, _ isDark: Bool) {
        guard (0..<side).contains(x), (0..<side).contains(y) else { return }
        modules[y][x] = isDark
        isFixed[y][x] = true
    }

    private mutating func drawTiming() {
        for index in 0..<side {
            fix(6, index, index.isMultiple(of: 2))
            fix(index, 6, index.isMultiple(of: 2))
        }
    }

    /// Draws the square of a corner with its light border.
    private mutating func drawFinder(_ x: Int, _ y: Int) {
        for dy in -4...4 {
            for dx in -4...4 {
                let ring = max(abs(dx), abs(dy))
                fix(x + dx, y + dy, ring != 2 && ring != 4)
            }
        }
    }

    private mutating func drawAlignments(_ centres: [Int]) {
        for x in centres {
            // There is no alignment pattern in the corners with a finder pattern.
            for y in centres where !((x == 6 && y == 6) || (x == 6 && y == side - 7) || (x == side - 7 && y == 6)) {
                for dy in -2...2 {
                    for dx in -2...2 { fix(x + dx, y + dy, max(abs(dx), abs(dy)) != 1) }
                }
            }
        }
    }

    /// Draws level M and the mask with their BCH(15,5) code, twice, and the dark module (section 7.9.1).
    private mutating func drawFormat(mask: Int) {
        let data = 0b00 << 3 | mask
        var rest = data
        for _ in 0..<10 { rest = rest << 1 ^ (rest >> 9) * 0x537 }
        let bits = (data << 10 | rest) ^ 0x5412
        func isDark(_ index: Int) -> Bool { bits >> index & 1 == 1 }

        for index in 0...5 { fix(8, index, isDark(index)) }
        fix(8, 7, isDark(6))
        fix(8, 8, isDark(7))
        fix(7, 8, isDark(8))
        for index in 9..<15 { fix(14 - index, 8, isDark(index)) }
        for index in 0..<8 { fix(side - 1 - index, 8, isDark(index)) }
        for index in 8..<15 { fix(8, side - 15 + index, isDark(index)) }
        fix(8, side - 8, true)
    }

    /// Draws the version number with its Golay code, twice. Only versions from 7 on have it (section 7.10).
    private mutating func drawVersion(_ number: Int) {
        guard number >= 7 else { return }
        var rest = number
        for _ in 0..<12 { rest = rest << 1 ^ (rest >> 11) * 0x1f25 }
        let bits = number << 12 | rest
        for index in 0..<18 {
            let (a, b) = (side - 11 + index % 3, index / 3)
            fix(a, b, bits >> index & 1 == 1)
            fix(b, a, bits >> index & 1 == 1)
        }
    }

    /// Fills columns of two modules from the right, alternately up and down, except fixed modules (section 7.7.3).
    private mutating func place(_ codewords: [UInt8]) {
        var index = 0
        var right = side - 1
        while right >= 1 {
            if right == 6 { right = 5 }
            let isUpward = (right + 1) & 2 == 0
            for step in 0..<side {
                let y = isUpward ? side - 1 - step : step
                for x in [right, right - 1] where !isFixed[y][x] && index < codewords.count * 8 {
                    modules[y][x] = codewords[index / 8] >> UInt8(7 - index % 8) & 1 == 1
                    index += 1
                }
            }
            right -= 2
        }
    }
}

/// The eight patterns of modules to invert. They prevent large plain areas (ISO/IEC 18004:2015, table 10).
enum QRMask: Int, CaseIterable {
    case checkers, rows, columns, diagonals, blocks, grid, gridCheckers, diagonalCheckers

    func inverts(x: Int, y: Int) -> Bool {
        switch self {
        case .checkers: (x + y) % 2 == 0
        case .rows: y % 2 == 0
        case .columns: x % 3 == 0
        case .diagonals: (x + y) % 3 == 0
        case .blocks: (x / 3 + y / 2) % 2 == 0
        case .grid: x * y % 2 + x * y % 3 == 0
        case .gridCheckers: (x * y % 2 + x * y % 3) % 2 == 0
        case .diagonalCheckers: ((x + y) % 2 + x * y % 3) % 2 == 0
        }
    }
}

/// Rates how difficult a symbol is to read (section 7.8.3, table 11).
enum QRPenalty {
    static func of(_ modules: [[Bool]]) -> Int {
        let columns = modules.indices.map { x in modules.map { $0[x] } }
        let lines = modules + columns
        return lines.reduce(0) { $0 + runs($1) + finderLikes($1) } + squares(modules) + imbalance(modules)
    }

    /// The penalty for five or more modules of one colour in a line.
    private static func runs(_ line: [Bool]) -> Int {
        var penalty = 0
        var rest = line[...]
        while let colour = rest.first {
            let run = rest.prefix { $0 == colour }.count
            if run >= 5 { penalty += run - 2 }
            rest = rest.dropFirst(run)
        }
        return penalty
    }

    /// Patterns that look like a finder: 1 1 3 1 1 with four light modules before or after.
    private static func finderLikes(_ line: [Bool]) -> Int {
        let light = [false, false, false, false]
        var (window, penalty) = (0, 0)
        // The quiet zone beyond the edges is light.
        for isDark in light + line + light {
            window = window << 1 & 0b111_1111_1111 | (isDark ? 1 : 0)
            if window == 0b101_1101_0000 || window == 0b000_0101_1101 { penalty += 40 }
        }
        return penalty
    }

    /// Two by two of one colour.
    private static func squares(_ modules: [[Bool]]) -> Int {
        var penalty = 0
        for y in 1..<modules.count {
            for x in 1..<modules.count {
                let colour = modules[y][x]
                if modules[y][x - 1] == colour, modules[y - 1][x] == colour, modules[y - 1][x - 1] == colour {
                    penalty += 3
                }
            }
        }
        return penalty
    }

    /// Ten for every five percent away from half dark.
    private static func imbalance(_ modules: [[Bool]]) -> Int {
        let total = modules.count * modules.count
        let dark = modules.reduce(0) { $0 + $1.count { $0 } }
        return abs(dark * 20 - total * 10) / total * 10
    }
}
