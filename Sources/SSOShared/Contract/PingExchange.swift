/// The body of a request to ``SSOPath/ping``, with which a relying party tries out its settings.
public struct PingQuestion: Sendable, Equatable {
    /// 8 KiB: room for the longest redirect URI.
    public static let maximumBytes = 8192

    /// The redirect URI that the relying party will ask with.
    public let redirectURI: String
    /// The relying party's clock, in seconds since 1970.
    public let time: Int

    /// Creates a question; `time` is in seconds since 1970.
    public init(redirectURI: String, time: Int) { (self.redirectURI, self.time) = (redirectURI, time) }

    /// Reads a body whose signature **has been checked**. Unknown keys are ignored.
    public init(body: [UInt8]) throws(VerifyBodyError) {
        let object = try JSONNode.object(body)
        redirectURI = try object.filledText("redirect_uri")
        time = try object.integer("time")
    }

    /// The bytes to sign and send.
    public func body() -> [UInt8] { JSONText.bytes([.init("redirect_uri", redirectURI), .init("time", time)]) }
}

/// The answer 200 of ``SSOPath/ping``: the secret is right.
public struct PingAnswer: Sendable, Equatable {
    /// The client that has asked. A relying party refuses an answer that names another.
    public let clientID: String
    /// Whether the redirect URI is registered for it, byte for byte.
    public let isRegistered: Bool
    /// The identity provider's clock, in seconds since 1970.
    public let time: Int
    /// The identity provider's version.
    public let version: String

    /// Creates an answer; `time` is in seconds since 1970.
    public init(clientID: String, isRegistered: Bool, time: Int, version: String) {
        (self.clientID, self.isRegistered, self.time, self.version) = (clientID, isRegistered, time, version)
    }

    /// Reads an answer whose signature has been checked. Unknown keys are ignored.
    public init(body: [UInt8]) throws(VerifyBodyError) {
        let object = try JSONNode.object(body)
        clientID = try object.text("client_id")
        isRegistered = try object.text("redirect_uri") == Self.registered
        time = try object.integer("time")
        version = try object.text("version")
    }

    /// The bytes to sign and send.
    public func body() -> [UInt8] {
        JSONText.bytes([
            .init("client_id", clientID), .init("redirect_uri", isRegistered ? Self.registered : "not_registered"),
            .init("time", time), .init("version", version),
        ])
    }

    private static let registered = "registered"
}
