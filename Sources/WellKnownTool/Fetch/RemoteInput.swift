import WellKnown

/// One file of a site. It is requested once, in the same way as the system that reads it. `fetch` checks more.
struct RemoteInput: Sendable {
    let target: FetchTarget
    let kind: AssociationKind
    let path: String
    let seen: OriginObservation

    /// - Parameters:
    ///   - kind: the kind of file. With `nil`, a URL determines the file and a domain stands for both files.
    static func fetch(_ target: FetchTarget, kind: AssociationKind?, client: WebClient) async -> [RemoteInput] {
        let named = target.path.map { AssociationKind.guess(fileName: String($0.prefix { $0 != "?" })) ?? .aasa }
        let kinds = (kind ?? named).map { [$0] } ?? [.aasa, .assetlinks]
        let probe = OriginProbe(client: client, target: target)
        var inputs: [RemoteInput] = []
        for kind in kinds {
            let path = target.path ?? kind.path
            inputs.append(RemoteInput(target: target, kind: kind, path: path, seen: await probe.main(kind, at: path)))
        }
        return inputs
    }

    /// Whether the server answers that it has no such file.
    var isMissing: Bool {
        guard case .success(let answer) = seen.main else { return false }
        return answer.status == 404 || answer.status == 410
    }

    /// The reason for the missing body, as a part of a sentence.
    var trouble: String {
        switch seen.main {
        case .success(let answer) where answer.isTruncated: "it is too large"
        case .success(let answer) where answer.isRedirect:
            "it answers \(answer.status), to \((answer["location"] ?? "nowhere").printable); systems follow no redirect"
        case .success(let answer): "it answers \(answer.status)"
        case .failure(let failure): failure.words
        }
    }
}
