import SSOShared

/// What a user does who has no pointer.
extension Chromium {
    static let enter = "\u{E007}"

    /// Strikes keys, which go to whatever has the focus.
    func strike(_ keys: String) async throws {
        let strokes: [JSONValue] = keys.flatMap { key -> [JSONValue] in
            ["keyDown", "keyUp"].map { ["type": .string($0), "value": .string(String(key))] }
        }
        let keyboard: JSONValue = ["type": "key", "id": "keyboard", "actions": .array(strokes)]
        _ = try await post("actions", ["actions": [keyboard]])
    }

    /// Goes on with the tabulator until the first match of `css` has the focus.
    func tab(to css: String) async throws {
        _ = try await element(css)
        for _ in 0..<200 {
            let isThere = try await run("return document.activeElement === document.querySelector(`\(css)`)")
            if isThere == .bool(true) { return }
            try await strike("\u{E004}")
        }
        throw ProbeFailure("the keyboard does not reach \(css) at \(try await address())")
    }

    /// Follows a link, or presses a button.
    func choose(_ css: String) async throws {
        try await tab(to: css)
        try await strike(Self.enter)
    }

    func write(_ text: String, into css: String) async throws {
        try await tab(to: css)
        try await strike(text)
    }
}
