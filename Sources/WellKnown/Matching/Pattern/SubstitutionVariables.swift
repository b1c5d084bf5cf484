/// What `$(name)` stands for in the patterns of a file: the file's own variables and Apple's.
///
/// Sources: Apple, "applinks.SubstitutionVariables"; the ISO tables of macOS 27.
public struct SubstitutionVariables: Sendable {
    /// The values of one name.
    enum Meaning: Sendable {
        /// One ASCII character.
        case character(ByteSet)
        /// One of these texts, in which `*` and `?` are wildcards.
        case values([String])
    }

    /// The names that every file may use.
    public static let predefined = ["alpha", "upper", "lower", "alnum", "digit", "xdigit", "lang", "region"]

    let own: [String: [String]]
    private let prefersOwn: Bool

    /// Of two variables of one name the last counts; one whose value is no array of strings is none.
    ///
    /// - Parameter prefersOwn: whether a file may give a predefined name another meaning. No one has shown what the
    ///   system does.
    init(_ variables: [SubstitutionVariable], prefersOwn: Bool = true) {
        var own: [String: [String]] = [:]
        for variable in variables { own[variable.name] = variable.values }
        self.own = own
        self.prefersOwn = prefersOwn
    }

    public init(_ file: AASAFile) { self.init(file.applinks.value?.substitutionVariables.value ?? []) }

    /// - Returns: `nil` for a name that nobody defined: a pattern with it never matches.
    func meaning(of name: String) -> Meaning? {
        if let values = own[name], prefersOwn || !Self.predefined.contains(name) { return .values(values) }
        switch name {
        case "alpha": return .character(ByteSet(Self.upper + Self.lower))
        case "upper": return .character(ByteSet(Self.upper))
        case "lower": return .character(ByteSet(Self.lower))
        case "alnum": return .character(ByteSet(Self.upper + Self.lower + Self.digits))
        case "digit": return .character(ByteSet(Self.digits))
        case "xdigit": return .character(ByteSet(Self.digits + "abcdefABCDEF".utf8))
        case "lang": return .values(ISOCodes.languages)
        case "region": return .values(ISOCodes.regions)
        default: return nil
        }
    }

    /// All that a name stands for, in the order of the file; `nil` when nobody defined it.
    public func values(of name: String) -> [String]? {
        switch meaning(of: name) {
        case .values(let values): values
        case .character(let set): set.bytes.map { String(decoding: [$0], as: UTF8.self) }
        case nil: nil
        }
    }

    private static let upper = Array(UInt8(ascii: "A")...UInt8(ascii: "Z"))
    private static let lower = Array(UInt8(ascii: "a")...UInt8(ascii: "z"))
    private static let digits = Array(UInt8(ascii: "0")...UInt8(ascii: "9"))
}
