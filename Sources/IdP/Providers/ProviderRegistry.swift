final class ProviderRegistry: Sendable {
    let all: [Provider]
    init(_ all: [Provider]) { self.all = all }
    func provider(id: String) -> Provider? { all.first { $0.id.utf8.elementsEqual(id.utf8) } }
}
