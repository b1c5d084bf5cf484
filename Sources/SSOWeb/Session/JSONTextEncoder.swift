import Foundation
import SSOShared

/// Encodes a value as JSON text, in the form in which ``JSONNodeDecoder`` reads it.
///
/// Foundation's encoder builds a tree of each slot first, and merging it with the other slots took a second reading and writing
/// of them all, inside the transaction that all writers share. This one writes the text as it comes. It has no coding paths,
/// dates or floating-point numbers: no slot has them. See docs/decisions/0059-slots-are-decoded-by-own-code.md.
struct JSONTextEncoder: Encoder {
    fileprivate let writer: JSONTextWriter

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(MemberContainer<Key>(writer: writer, depth: writer.open("{", "}")))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        ItemContainer(writer: writer, depth: writer.open("[", "]"))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { ValueContainer(writer: writer) }
}

/// The text that is written. An object or array ends when something is written after it, or the value is complete.
final class JSONTextWriter {
    private(set) var bytes: [UInt8] = []
    private var ends: [(end: UInt8, isEmpty: Bool)] = []

    init(reserving count: Int) { bytes.reserveCapacity(count) }

    /// Begins an object or array.
    ///
    /// - Returns: how many are open with it.
    fileprivate func open(_ start: Unicode.Scalar, _ end: Unicode.Scalar) -> Int {
        bytes.append(UInt8(ascii: start))
        ends.append((UInt8(ascii: end), true))
        return ends.count
    }

    /// Ends all objects and arrays but so many.
    private func close(to depth: Int) {
        while let last = ends.last, ends.count > depth {
            bytes.append(last.end)
            ends.removeLast()
        }
    }

    /// Makes room for the next item of the object or array at a depth.
    fileprivate func item(at depth: Int) {
        close(to: depth)
        guard let last = ends.indices.last else { return }
        if !ends[last].isEmpty { bytes.append(UInt8(ascii: ",")) }
        ends[last].isEmpty = false
    }

    fileprivate func member(_ key: String, at depth: Int) {
        item(at: depth)
        string(key)
        bytes.append(UInt8(ascii: ":"))
    }

    fileprivate func string(_ text: String) { JSONText.append(text, to: &bytes) }
    fileprivate func literal(_ text: String) { bytes += text.utf8 }

    /// Writes the key of a member, and what it has that is JSON already.
    func raw(_ key: String, _ text: ArraySlice<UInt8>) {
        string(key)
        bytes.append(UInt8(ascii: ":"))
        bytes += text
    }

    /// Writes JSON as it is.
    func raw(_ text: some Sequence<UInt8>) { bytes += text }

    /// Writes a whole value.
    ///
    /// - Throws: `EncodingError` for a value that no slot may have. What was written of it is removed again.
    func value<Value: Encodable>(_ value: Value) throws {
        // JSONDecoder reads bytes as base64.
        if Value.self == Data.self, let data = value as? Data { return string(data.base64EncodedString()) }
        let (depth, length) = (ends.count, bytes.count)
        do {
            try value.encode(to: JSONTextEncoder(writer: self))
            close(to: depth)
            guard bytes.count > length else { throw unsupported(value) }
        } catch {
            ends.removeSubrange(depth...)
            bytes.removeSubrange(length...)
            throw error
        }
    }

    fileprivate func unsupported(_ value: Any) -> EncodingError {
        .invalidValue(value, .init(codingPath: [], debugDescription: "no slot has such a value"))
    }
}

/// A single value.
private struct ValueContainer: SingleValueEncodingContainer {
    let writer: JSONTextWriter

    var codingPath: [any CodingKey] { [] }

    func encodeNil() { writer.literal("null") }
    func encode(_ value: Bool) { writer.literal(value ? "true" : "false") }
    func encode(_ value: String) { writer.string(value) }
    func encode(_ value: Double) throws { throw writer.unsupported(value) }
    func encode(_ value: Float) throws { throw writer.unsupported(value) }
    func encode(_ value: Int) { writer.literal(String(value)) }
    func encode(_ value: Int8) { writer.literal(String(value)) }
    func encode(_ value: Int16) { writer.literal(String(value)) }
    func encode(_ value: Int32) { writer.literal(String(value)) }
    func encode(_ value: Int64) { writer.literal(String(value)) }
    func encode(_ value: UInt) { writer.literal(String(value)) }
    func encode(_ value: UInt8) { writer.literal(String(value)) }
    func encode(_ value: UInt16) { writer.literal(String(value)) }
    func encode(_ value: UInt32) { writer.literal(String(value)) }
    func encode(_ value: UInt64) { writer.literal(String(value)) }
    func encode<Value: Encodable>(_ value: Value) throws { try writer.value(value) }
}

/// The members of an object.
private struct MemberContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let writer: JSONTextWriter
    let depth: Int

    var codingPath: [any CodingKey] { [] }

    private func value(_ key: Key) -> ValueContainer {
        writer.member(key.stringValue, at: depth)
        return ValueContainer(writer: writer)
    }

    func encodeNil(forKey key: Key) { value(key).encodeNil() }
    func encode(_ value: Bool, forKey key: Key) { self.value(key).encode(value) }
    func encode(_ value: String, forKey key: Key) { self.value(key).encode(value) }
    func encode(_ value: Int, forKey key: Key) { self.value(key).encode(value) }
    func encode(_ value: Int64, forKey key: Key) { self.value(key).encode(value) }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try self.value(key).encode(value) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        writer.member(key.stringValue, at: depth)
        return JSONTextEncoder(writer: writer).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        writer.member(key.stringValue, at: depth)
        return JSONTextEncoder(writer: writer).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { JSONTextEncoder(writer: writer) }

    func superEncoder(forKey key: Key) -> any Encoder {
        writer.member(key.stringValue, at: depth)
        return JSONTextEncoder(writer: writer)
    }
}

/// The items of an array.
private struct ItemContainer: UnkeyedEncodingContainer {
    let writer: JSONTextWriter
    let depth: Int
    private(set) var count = 0

    init(writer: JSONTextWriter, depth: Int) { (self.writer, self.depth) = (writer, depth) }

    var codingPath: [any CodingKey] { [] }

    private mutating func next() -> ValueContainer {
        count += 1
        writer.item(at: depth)
        return ValueContainer(writer: writer)
    }

    mutating func encodeNil() { next().encodeNil() }
    mutating func encode<Value: Encodable>(_ value: Value) throws { try next().encode(value) }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        _ = next()
        return JSONTextEncoder(writer: writer).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        _ = next()
        return JSONTextEncoder(writer: writer).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
        _ = next()
        return JSONTextEncoder(writer: writer)
    }
}
