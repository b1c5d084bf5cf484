extension Sequence {
    /// The elements without those whose key an earlier element has.
    package func uniqued<Key: Hashable>(by key: (Element) -> Key) -> [Element] {
        var seen: Set<Key> = []
        return filter { seen.insert(key($0)).inserted }
    }
}

extension [String] {
    /// The first elements, and how many more there are.
    package func listed(atMost count: Int = 3) -> String {
        prefix(count).joined(separator: ", ") + (self.count > count ? " and \(self.count - count) more" : "")
    }
}
