package import SSOWeb

/// Tries every provider, for `idp check --connect`. A provider that is down is a problem here only: the program starts
/// without it, and its button says so.
package struct ProviderCheck: Sendable {
    let providers: [Provider]
    /// Fetches what a sign-in needs, and returns one line about it.
    let check: @Sendable (Provider) async throws -> String

    package init(providers: [Provider], check: @escaping @Sendable (Provider) async throws -> String) {
        (self.providers, self.check) = (providers, check)
    }

    /// Tries all of them at once. Records an answer for each, or a problem, in the order of the file.
    ///
    /// Each task returns the id of its provider. A number that the task captures is 0 after its await in a release build of
    /// Swift 6.3.1: all answers then belonged to the first provider, and a provider that failed could go unreported.
    package func run(_ reader: SettingsReader) async {
        let answers = await withTaskGroup(of: Answer.self) { group in
            for provider in providers { group.addTask { await answer(of: provider) } }
            return await group.reduce(into: [:]) { $0[$1.provider] = $1.result }
        }
        for provider in providers {
            switch answers[provider.id] {
            case .success(let line)?: reader.record("connect provider \(provider.id)", line)
            case .failure(let error)?: problem(provider, "cannot be used now: \(error)", reader)
            case nil: problem(provider, "has not been checked", reader)
            }
        }
    }

    private struct Answer: Sendable {
        let provider: String
        let result: Result<String, any Error>
    }

    private func answer(of provider: Provider) async -> Answer {
        do {
            return Answer(provider: provider.id, result: .success(try await check(provider)))
        } catch { return Answer(provider: provider.id, result: .failure(error)) }
    }

    private func problem(_ provider: Provider, _ what: String, _ reader: SettingsReader) {
        reader.problem("\(ProvidersFile.setting.name): provider \"\(provider.id)\" \(what).")
    }
}
