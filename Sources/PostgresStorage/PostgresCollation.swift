/// How a database compares texts.
struct PostgresCollation: CustomStringConvertible {
    /// As `datlocprovider` has it: `c` for libc, `b` for the built-in provider, `i` for ICU.
    let provider: String
    /// `datcollate`, which counts for libc only; and `datlocale` (`daticulocale` before PostgreSQL 17) of the other providers.
    let libc, other: String?

    private var locale: String { (provider == "c" ? libc : other) ?? "unknown" }

    /// Whether texts compare by code points, which is by bytes in UTF8. The built-in provider does so with each of its locales.
    /// Source: PostgreSQL's manual, "Locale Providers".
    var comparesBytes: Bool {
        switch provider {
        case "c": ["C", "POSIX", "C.UTF-8", "C.UTF8", "C.utf8"].contains(locale)
        case "b": ["C", "C.UTF-8", "C.UTF8", "PG_UNICODE_FAST"].contains(locale)
        default: false
        }
    }

    /// `de_DE.UTF-8 (provider libc)`
    var description: String {
        "\(locale) (provider \(["c": "libc", "b": "builtin", "i": "icu"][provider] ?? provider))"
    }
}
