/// The eight patterns that turn modules over so that no large plain areas are left (ISO/IEC 18004:2015, table 10).
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

/// How confusing a symbol is to a reader (section 7.8.3, table 11).
enum QRPenalty {
    static func of(_ modules: [[Bool]]) -> Int {
        let columns = modules.indices.map { x in modules.map { $0[x] } }
        let lines = modules + columns
        return lines.reduce(0) { $0 + runs($1) + finderLikes($1) } + squares(modules) + imbalance(modules)
    }

    /// Five or more of one colour in a line.
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

    /// Patterns that look like a finder: 1 1 3 1 1 with four light modules before or behind.
    private static func finderLikes(_ line: [Bool]) -> Int {
        let finder = [true, false, true, true, true, false, true]
        let light = [false, false, false, false]
        // Beyond the edges is the quiet zone, which is light.
        let padded = light + line + light
        var penalty = 0
        for start in 0...(padded.count - 11) {
            let window = padded[start..<start + 11]
            if window.elementsEqual(finder + light) || window.elementsEqual(light + finder) { penalty += 40 }
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
