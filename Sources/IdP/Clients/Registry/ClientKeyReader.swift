import SSOShared
package import SSOWeb
import YAMLSettings

/// Reads the keys of one entry. Nil alone, not as the value, means a problem that was reported.
package struct ClientKeyReader {
    let entry: SettingsFileEntry
    /// The id of the client, for messages.
    package let client: String
    /// Where the addresses of the client may be http (`allow_private_http`).
    package let plainHosts: RedirectURI.PlainHosts

    package func value<Value>(_ key: ClientKey<Value>) -> Value? { key.read(self) }

    func flag(_ key: String, _ fallback: Bool) -> Bool? {
        guard entry.has(key) else { return fallback }
        guard let text = entry.text(key) else { return nil }
        return Bool(text.value) ?? refuse(key, "\"\(text.value)\" must be true or false.")
    }

    func optional(_ key: String, _ check: (String) throws -> Void) -> String?? {
        guard entry.hasValue(key) else { return .some(nil) }
        guard let text = entry.text(key) else { return nil }
        do { try check(text.value) } catch { return refuse(key, "\(error)") }
        return text.value
    }

    /// A list that may be empty, which means the same as none.
    func optionalList(_ key: String, maximum: Int, _ check: (String) throws -> Void) -> [String]?? {
        guard entry.hasItems(key) else { return .some(nil) }
        // In two statements: one would make the outer nil an inner one.
        guard let items = list(key, maximum: maximum, check) else { return nil }
        return items
    }

    /// A list with at least one item.
    ///
    /// - Parameter fallback: stands for a key that is missing. An empty list is a problem: who writes one hardly means this.
    func list(
        _ key: String, maximum: Int, default fallback: [String] = [], _ check: (String) throws -> Void
    ) -> [String]? {
        guard entry.has(key) else { return fallback }
        guard let items = entry.texts(key) else { return nil }
        guard items.count <= maximum else {
            return refuse(key, "has \(items.count) items. At most \(maximum) are allowed.")
        }
        var good: [String] = []
        for item in items {
            do {
                try check(item.value)
                guard !good.contains(where: { $0.utf8.elementsEqual(item.value.utf8) }) else {
                    throw SettingError("\"\(item.value)\" appears twice.")
                }
                good.append(item.value)
            } catch {
                entry.problem("\(key) of \"\(client)\": \(error)", at: item.node)
            }
        }
        return good.count == items.count ? good : nil
    }

    /// Reports a problem with the value of a key.
    package func problem(_ key: String, _ words: String) { let _: Never? = refuse(key, words) }

    /// Reports a problem with the value of a key.
    ///
    /// - Returns: nil, always.
    func refuse<T>(_ key: String, _ words: String) -> T? {
        entry.refuse("\(key) of \"\(client)\": \(words)", at: key)
    }

    /// Checks an address that the browser goes back to, or a message goes to.
    ///
    /// Decides on the form alone. Which host its name leads to is known only when a message is sent.
    ///
    /// - Parameters:
    ///   - fields: what the IdP adds to its query.
    ///   - example: of one that may be registered.
    /// - Throws: ``SettingError``.
    package func checkWebAddress(_ text: String, adding fields: [String], example: String) throws {
        try RedirectURI.check(text, adding: fields, plain: plainHosts) { _ in "must be https, for example \(example)." }
    }

    /// The same for an address that messages go to: no message is sent to link-local and metadata addresses.
    package func checkMessageAddress(_ text: String, example: String) throws {
        try checkWebAddress(text, adding: [], example: example)
        guard let url = try? WebURL(text, allowing: .looseNames), let kind = SignOutAddress.error(url.authority) else {
            return
        }
        throw SettingError("\"\(text)\" is a \(kind) address, and no message goes there. Use one such as \(example).")
    }
}
