/// The values of a statement by name, in the order in which they were written: `["id": .text(id)]`.
///
/// A literal costs one allocation, and no name is hashed. A statement remembers where its values stand, so that the next run finds
/// them there.
public struct SQLArguments: Sendable, ExpressibleByDictionaryLiteral {
    package private(set) var pairs: [(String, SQLValue)]

    /// Values by name. A name stands once.
    public init(dictionaryLiteral elements: (String, SQLValue)...) { pairs = elements }

    /// Values by name. A name stands once.
    public init(_ pairs: some Sequence<(String, SQLValue)>) { self.pairs = Array(pairs) }

    /// The value of `name`. Setting nil removes it.
    public subscript(name: String) -> SQLValue? {
        get { place(of: name, near: 0).map { pairs[$0].1 } }
        set {
            switch (place(of: name, near: 0), newValue) {
            case (let place?, let value?): pairs[place].1 = value
            case (let place?, nil): pairs.remove(at: place)
            case (nil, let value?): pairs.append((name, value))
            case (nil, nil): break
            }
        }
    }

    /// Adds a value. `name` must not have one yet.
    package mutating func append(_ name: String, _ value: SQLValue) { pairs.append((name, value)) }

    /// Adds values. None of their names must have one yet.
    package mutating func append(_ further: SQLArguments) { pairs += further.pairs }

    /// Makes room for further values.
    package mutating func reserve(_ further: Int) { pairs.reserveCapacity(pairs.count + further) }

    /// These values and those of `other`, which count where both have a name.
    public func merging(_ other: SQLArguments) -> SQLArguments {
        var merged = self
        merged.pairs.reserveCapacity(pairs.count + other.pairs.count)
        for (name, value) in other.pairs {
            // Only among the own ones: a name stands once in `other`.
            if let place = place(of: name, near: 0) {
                merged.pairs[place].1 = value
            } else {
                merged.pairs.append((name, value))
            }
        }
        return merged
    }

    /// Where the value of `name` stands; nil for a name without a value.
    ///
    /// - Parameter expected: where it stood in the last run.
    package func place(of name: String, near expected: Int) -> Int? {
        if expected < pairs.count, pairs[expected].0 == name { return expected }
        return pairs.firstIndex { $0.0 == name }
    }
}
