import Mustache
public import ServiceLifecycle
import Synchronization

/// The templates of one language. To parse all takes a third of a start, so each is parsed when a page needs it first, and the
/// others beside the first requests (``TemplateReading``).
final class Templates: Sendable {
    private struct State {
        var parsed: MustacheLibrary
        var unread: [String: [UInt8]]
    }

    private let state: Mutex<State>
    private let parse: @Sendable ([UInt8]) throws -> MustacheTemplate

    /// - Parameters:
    ///   - parsed: what the others include.
    ///   - unread: the others, by name.
    init(
        parsed: MustacheLibrary, unread: [String: [UInt8]],
        parse: @escaping @Sendable ([UInt8]) throws -> MustacheTemplate
    ) {
        state = Mutex(State(parsed: parsed, unread: unread))
        self.parse = parse
    }

    /// Empty for a template that is unknown or cannot be parsed.
    func render(_ name: String, _ model: Framed) -> String {
        let library = state.withLock { state in
            try? read(name, &state)
            return state.parsed
        }
        return library.render(model, withTemplate: name) ?? ""
    }

    /// Parses what was not needed so far.
    func readAll() throws(TemplateError) {
        for name in state.withLock({ $0.unread.keys.sorted() }) {
            // A request that waits for another template gets its turn in between.
            let outcome = state.withLock { state in
                Result { () throws(TemplateError) in try read(name, &state) }
            }
            try outcome.get()
        }
    }

    private func read(_ name: String, _ state: inout State) throws(TemplateError) {
        guard let source = state.unread[name] else { return }
        do { state.parsed.register(try parse(source), named: name) } catch {
            throw TemplateError(name: name, cause: "\(error)")
        }
        state.unread[name] = nil
    }
}

/// Parses the templates that no page has needed yet, beside the first requests. One that cannot be parsed ends the program.
public struct TemplateReading: Service {
    private let pages: Pages

    public init(_ pages: Pages) { self.pages = pages }

    public func run() async throws {
        try pages.readTemplates()
        // A service that returns ends the program.
        try? await gracefulShutdown()
    }
}

/// A template cannot be parsed.
struct TemplateError: Error, CustomStringConvertible {
    let name, cause: String
    var description: String { "The template \(name) cannot be parsed: \(cause)" }
}
