import Mustache

/// The properties of a model by their names, with those of the structs in it. The compiler generates the encoding. The
/// library would use reflection, for each name that a template asks for.
struct Properties: MustacheParent {
    fileprivate(set) var values: [String: Any] = [:]

    fileprivate init() {}

    /// If a property throws while it is encoded, it and all later ones are missing.
    init(of model: some Encodable) {
        let encoder = ModelEncoder()
        try? model.encode(to: encoder)
        values = encoder.properties.values
    }

    func child(named name: String) -> Any? { values[name] }
}

/// Takes in what a template can name: texts, flags, numbers, structs, and lists of these. An optional without a value is left out,
/// so that its section is not shown.
private final class ModelEncoder: Encoder {
    var properties = Properties()
    /// The items of a list, and the value of a type that is encoded as one, such as an enumeration.
    var items: [Any]?
    var single: Any?

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        properties.values.reserveCapacity(12)
        return KeyedEncodingContainer(PropertyContainer(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        items = []
        return ItemContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { SingleContainer(encoder: self) }

    /// What a template sees of a value.
    static func value(of value: some Encodable) throws -> Any {
        let encoder = ModelEncoder()
        try value.encode(to: encoder)
        return encoder.single ?? encoder.items ?? encoder.properties
    }
}

private struct PropertyContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ModelEncoder

    var codingPath: [any CodingKey] { [] }

    func encode(_ value: String, forKey key: Key) { encoder.properties.values[key.stringValue] = value }
    func encode(_ value: Bool, forKey key: Key) { encoder.properties.values[key.stringValue] = value }
    func encode(_ value: Int, forKey key: Key) { encoder.properties.values[key.stringValue] = value }
    func encode(_ value: some Encodable, forKey key: Key) throws {
        encoder.properties.values[key.stringValue] = try ModelEncoder.value(of: value)
    }
    func encodeNil(forKey key: Key) {}

    func nestedContainer<Nested>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
        encoder.container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder.unkeyedContainer() }
    func superEncoder() -> any Encoder { encoder }
    func superEncoder(forKey key: Key) -> any Encoder { encoder }
}

private struct ItemContainer: UnkeyedEncodingContainer {
    let encoder: ModelEncoder

    var codingPath: [any CodingKey] { [] }
    var count: Int { encoder.items?.count ?? 0 }

    func encode(_ value: String) { encoder.items?.append(value) }
    func encode(_ value: some Encodable) throws { encoder.items?.append(try ModelEncoder.value(of: value)) }
    func encodeNil() {}

    func nestedContainer<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        encoder.container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func superEncoder() -> any Encoder { encoder }
}

private struct SingleContainer: SingleValueEncodingContainer {
    let encoder: ModelEncoder

    var codingPath: [any CodingKey] { [] }

    func encode(_ value: String) { encoder.single = value }
    func encode(_ value: Bool) { encoder.single = value }
    func encode(_ value: Int) { encoder.single = value }
    func encode(_ value: some Encodable) throws {
        // A number of another type encodes itself like this.
        encoder.single = value is any Numeric ? value : try ModelEncoder.value(of: value)
    }
    func encodeNil() {}
}
