import WellKnown

/// Takes entitlements files that no Xcode project of the folder explains.
enum EntitlementsReader: ProjectReader {
    private static let kind = "entitlements"

    static func takes(_ path: String) -> Bool { path.hasSuffix(".entitlements") }

    static func read(_ folder: ProjectFolder, defined: [String: String]) -> ProjectOffer {
        var offer = ProjectOffer()
        let isAlone = folder.paths(named: "project.pbxproj").isEmpty
        let used = isAlone ? [] : Set(XcodeReader.read(folder, defined: defined).apple.compactMap(\.file))
        for path in folder.paths(ending: ".entitlements") where !used.contains(folder.full(path)) {
            let file = folder.full(path)
            do throws(ProjectFiles.ReadError) {
                let value = try ProjectFiles.entitlements(file, filling: defined)
                let count = value.associatedDomains?.count ?? 0
                offer.notes.append(
                    folder.note(path, kind, "\(count) associated domains\(isAlone ? "" : "; not compared")"))
                if isAlone { offer.apple.append(AppleCandidate(name: path, file: file, entitlements: value)) }
            } catch {
                offer.notes.append(folder.note(path, kind, "not read: \(error.reason)"))
                if isAlone { offer.apple.append(AppleCandidate(name: path, unread: "\(file) cannot be read")) }
            }
        }
        // Without a project that names the file, one with associated domains is more likely the app's.
        let named = offer.apple.filter { $0.entitlements?.associatedDomains?.isEmpty == false }
        if !named.isEmpty { offer.apple.removeAll { $0.unread == nil && $0.entitlements?.associatedDomains == nil } }
        return offer
    }
}
