/// A name or a value of a query that no address has, because a query is split at these marks.
struct QueryItemFault {
    let message: String
    /// The name that is meant, if it is known.
    var name: String?

    init?(name: String, pattern: String) {
        let bare = name.drop { $0 == "?" || $0 == "&" }
        if name.contains("*") {
            message = "\(name.quoted) is a name and no pattern: a star in it is an ordinary character"
        } else if bare.count < name.count, !bare.isEmpty, !bare.contains(where: { "=&#".contains($0) }) {
            message = "\(name.quoted) has the mark before an item in its name: no item has this name"
            self.name = String(bare)
        } else if name.contains(where: { "=&#".contains($0) }) {
            message = "\(name.quoted) is no name of an item: a query is split at = and &"
        } else if pattern.contains(where: { "&#".contains($0) }) {
            message = "no value of \(name.quoted) matches \(pattern.quoted): a query is split at &"
        } else {
            return nil
        }
    }
}
