import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import SSOWeb

@Suite("The deadline of a request")
struct RequestDeadlineTests {
    private static let limit = TimeAmount.seconds(3)

    private static func channel() throws -> EmbeddedChannel {
        var limits = ServerLimits()
        limits.request = .seconds(3)
        let channel = EmbeddedChannel(handler: RequestDeadline(limits))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }

    private static func head(_ channel: EmbeddedChannel) throws {
        let head = HTTPRequest(method: .post, scheme: "http", authority: "a.example", path: "/")
        try channel.writeInbound(HTTPRequestPart.head(head))
    }

    @Test("a request that does not end in time loses its connection")
    func cut() throws {
        let channel = try Self.channel()
        try Self.head(channel)
        channel.embeddedEventLoop.advanceTime(by: Self.limit - .milliseconds(1))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(2))
        #expect(!channel.isActive)
    }

    @Test("bytes that waited in the socket of a busy event loop are read before the cut")
    func busy() throws {
        let channel = try Self.channel()
        try Self.head(channel)
        // The timer fires before the loop has looked at the socket.
        channel.embeddedEventLoop.advanceTime(by: Self.limit)
        #expect(channel.isActive)
        try channel.writeInbound(HTTPRequestPart.end(nil))
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(5))
        #expect(channel.isActive)
        // The next request has a deadline of its own.
        try Self.head(channel)
        channel.embeddedEventLoop.advanceTime(by: Self.limit - .milliseconds(1))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(2))
        #expect(!channel.isActive)
    }

    @Test("one more byte is no more time")
    func drip() throws {
        let channel = try Self.channel()
        try Self.head(channel)
        channel.embeddedEventLoop.advanceTime(by: Self.limit)
        try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "a")))
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
    }
}
