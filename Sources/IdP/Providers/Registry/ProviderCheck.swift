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
    package func run(_ reader: SettingsReader) async {
        let results = await withTaskGroup(of: (Int, Result<String, any Error>).self) { group in
            for (index, provider) in providers.enumerated() {
                group.addTask {
                    do { return (index, .success(try await check(provider))) } catch { return (index, .failure(error)) }
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        for (index, provider) in providers.enumerated() {
            switch results[index] {
            case .success(let line)?: reader.record("connect provider \(provider.id)", line)
            case .failure(let error)?:
                reader.problem(
                    "\(ProvidersFile.setting.name): provider \"\(provider.id)\" cannot be used now: \(error).")
            case nil: break
            }
        }
    }
}
