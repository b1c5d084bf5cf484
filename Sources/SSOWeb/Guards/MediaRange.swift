/// The part of a media type that says what it is.
public enum MediaRange {
    /// `application/json` of `Application/JSON; charset=utf-8`; nil when the field is missing or stands there twice.
    public static func essence(of values: [String]) -> String? {
        guard values.count == 1, let first = values.first else { return nil }
        let essence = first.prefix { $0 != ";" }
        let words = essence.lowercased().split(separator: " ")
        return words.count == 1 ? words.first.map(String.init) : nil
    }
}
