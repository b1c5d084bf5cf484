import HTTPTypes
package import Hummingbird
package import IdPClients
import Logging
import SSOShared
package import SSOWeb
import Storage

/// A route that takes the signed posts of other servers: verify, inbound mail.
///
/// The order of the checks matters: method, type, network, announced size, headers of the signature, and only then the body is
/// read; then its size, the signature, and its content. So a flood of requests that cannot be right stays cheap.
package struct SignedPost<Signer: Sendable>: Sendable {
    /// The media type, the size limit, the log events and the error answers of one route.
    package struct Words: Sendable {
        let mediaType: String
        let maximumBytes: Int
        let refused, failed: EventKind
        let wrongType, tooLarge, unavailable, uncertain: SignedPostError
        let badSignature: @Sendable (SignatureCheck.SignatureError, Request) -> SignedPostError

        /// - Parameters:
        ///   - refused: the event of a request that is refused; its line has ``SignedPostError/line``.
        ///   - failed: the event of a failure of the storage. It is never reported as a bad request: the sender may try
        ///     again.
        ///   - unavailable: the answer to such a failure.
        ///   - uncertain: the one where nobody knows whether something was written, if it has other words.
        package init(
            mediaType: String, maximumBytes: Int, refused: EventKind, failed: EventKind, wrongType: SignedPostError,
            tooLarge: SignedPostError, unavailable: SignedPostError, uncertain: SignedPostError? = nil,
            badSignature: @escaping @Sendable (SignatureCheck.SignatureError, Request) -> SignedPostError
        ) {
            (self.mediaType, self.maximumBytes, self.refused, self.failed) = (mediaType, maximumBytes, refused, failed)
            (self.wrongType, self.tooLarge) = (wrongType, tooLarge)
            (self.unavailable, self.uncertain) = (unavailable, uncertain ?? unavailable)
            self.badSignature = badSignature
        }
    }

    /// Checks the body of a request whose headers may be right.
    package typealias BodyCheck = @Sendable ([UInt8]) throws(SignatureCheck.SignatureError) -> Signer

    let words: Words
    let networks: SignerNetworks
    let clients: ClientDirectory?
    let explain: (@Sendable (Request, [UInt8]) async -> NearSecret?)?
    let head: @Sendable (Request) throws(SignatureCheck.SignatureError) -> BodyCheck
    let answer: @Sendable (Signer, [UInt8], VisitorContext) async throws -> Response

    /// - Parameters:
    ///   - clients: the signers where those are clients: they are compared with the database before a request is refused
    ///     for its signature.
    ///   - explain: what would have made a wrong signature right, for the audit log.
    ///   - head: reads the headers of the signature.
    ///   - answer: the answer to a body whose signature is right. It may throw ``SignedPostError``.
    package init(
        _ words: Words, from networks: SignerNetworks, renewing clients: ClientDirectory? = nil,
        explaining explain: (@Sendable (Request, [UInt8]) async -> NearSecret?)? = nil,
        signature head: @escaping @Sendable (Request) throws(SignatureCheck.SignatureError) -> BodyCheck,
        answer: @escaping @Sendable (Signer, [UInt8], VisitorContext) async throws -> Response
    ) {
        (self.words, self.networks, self.clients, self.explain) = (words, networks, clients, explain)
        (self.head, self.answer) = (head, answer)
    }

    /// The answer to another method than POST.
    static var wrongMethod: Response {
        var response = SignedPostError.wrongMethod.response
        response.headers[.allow] = "POST"
        return response
    }

    @Sendable func receive(_ request: Request, _ context: VisitorContext) async throws -> Response {
        do {
            let (signer, body) = try await signed(request, context)
            do { return try await answer(signer, body, context) } catch var refused as SignedPostError
                where refused.code == .invalidSignature && !refused.isAudited
            {
                // Right by the entry that the client had when the request came.
                refused.near = await explain?(request, body)
                throw refused
            }
        } catch let error as SignedPostError {
            let event = error.event(words.refused)
            context.record(error.isAudited ? event.only(in: .log) : event)
            return error.response
        } catch let failure as DatabaseError {
            context.record(Event(words.failed, cause: "\(failure)"))
            return (failure.isOutcomeKnown ? words.unavailable : words.uncertain).response
        }
    }

    /// Checks headers and body, and once more if the clients have changed meanwhile.
    ///
    /// - Parameter body: what was read of it.
    private func checked(
        _ request: Request, _ context: VisitorContext, _ body: inout [UInt8]?
    ) async throws -> (Signer, [UInt8]) {
        func check() async throws -> (Signer, [UInt8]) {
            let check = try head(request)
            let bytes = if let body { body } else { try await request.boundedBody(words.maximumBytes) }
            body = bytes
            return (try check(bytes), bytes)
        }
        let version = clients?.version
        do { return try await check() } catch let error as SignatureCheck.SignatureError {
            guard let clients, error.mayBeOfNewClient else { throw error }
            await clients.renew(refusing: request, context)
            guard clients.version != version else {
                try clients.checkCompared()
                throw error
            }
            return try await check()
        }
    }

    /// Whether who is right costs one signature over a short body. Then it is looked at before it is counted: a flood keeps no
    /// client out that names itself.
    private func namesClient(_ request: Request) -> Bool {
        clients != nil && request.headers[values: .ssoClient].count == 1
    }

    /// Who has signed a request, and the body. Headers that cannot be right cost no body.
    private func signed(_ request: Request, _ context: VisitorContext) async throws -> (Signer, [UInt8]) {
        guard MediaRange.essence(of: request.headers[values: .contentType]) == words.mediaType else {
            throw words.wrongType
        }
        var body: [UInt8]?
        do {
            return try await networks.counting(
                request, context, evenWhenFull: namesClient(request),
                countingIf: { $0 is SignatureCheck.SignatureError }
            ) {
                try request.checkAnnouncedLength(words.maximumBytes)
                return try await checked(request, context, &body)
            }
        } catch let error as SignatureCheck.SignatureError {
            var refused = words.badSignature(error, request)
            if error == .wrong, let body { refused.near = await explain?(request, body) }
            throw refused
        } catch let error as TooManyBadSignatures {
            throw SignedPostError.rateLimited(error.wait)
        } catch let error as PublicError where error.status == .contentTooLarge {
            throw words.tooLarge
        }
    }
}

/// The networks that signed posts of one kind come from.
package struct SignerNetworks: Sendable {
    package let addresses: ClientAddress
    /// Limits bad signatures per network. Good ones are never counted.
    package let badSignatures: NetworkLimit
    /// The networks that have sent a good signature. A flood of bad ones from the same network, for example behind one proxy,
    /// must not keep them out.
    package let proven: ProvenNetworks

    package init(_ addresses: ClientAddress, badSignatures: NetworkLimit, proven: ProvenNetworks) {
        (self.addresses, self.badSignatures, self.proven) = (addresses, badSignatures, proven)
    }

    /// Checks a signature, unless the network of the request has sent too many bad ones, and counts a bad one. Of a network that
    /// has sent a good one, some are checked all the same.
    ///
    /// - Parameters:
    ///   - isChecked: whether it is checked however many were bad.
    ///   - isBad: whether an error of `check` says that the signature is bad. All others are not counted.
    /// - Throws: ``TooManyBadSignatures``, also in place of the error that is one too many.
    package func counting<Signed>(
        _ request: Request, _ context: VisitorContext, evenWhenFull isChecked: Bool = false,
        countingIf isBad: (any Error) -> Bool, _ check: () async throws -> Signed
    ) async throws -> Signed {
        let address = addresses.address(of: request, peer: context.peer) ?? .unknown
        if !isChecked, let wait = badSignatures.wait(address), !proven.mayTry(address) {
            throw TooManyBadSignatures(wait: wait)
        }
        do {
            let signed = try await check()
            proven.note(address)
            return signed
        } catch let error where isBad(error) {
            if let wait = badSignatures.hit(address) { throw TooManyBadSignatures(wait: wait) }
            throw error
        }
    }
}

/// The network of a request has sent too many bad signatures.
package struct TooManyBadSignatures: Error {
    /// The time until it may try again.
    package let wait: Duration
}

extension SignedPostError {
    /// What the request names as its client is a text of anybody: the row has only one of the form of an id.
    fileprivate func event(_ kind: EventKind) -> Event {
        var further: Logger.Metadata = ["error": "\(code.rawValue)", "client": "\(client ?? "-")"]
        for (name, value) in [("issued_to", issuedTo), ("detail", detail)] {
            if let value { further[name] = "\(value)" }
        }
        if let near { further["near"] = "\(near.detail)" }
        return Event(
            kind, by: .visitor, client: client.flatMap { ClientID.isWellFormedForOpenID($0) ? $0 : nil },
            session: session, flow: flow, cause: cause, detail: near?.detail, further)
    }
}
