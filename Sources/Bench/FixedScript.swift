/// The same request over and over for a while: the yardstick of a static route.
struct FixedScript: LoadScript {
    private let bytes: [UInt8]
    private let end: UInt64
    private(set) var answers = 0
    private(set) var errors = 0
    private(set) var latencies = Latencies(expecting: 1 << 18)

    init(path: String, authority: String, seconds: Int) {
        bytes = Array("GET \(path) HTTP/1.1\r\nHost: \(authority)\r\n\r\n".utf8)
        end = LoadLoop.now() + UInt64(seconds) * 1_000_000_000
    }

    mutating func request(on connection: Int) -> [UInt8] { bytes }

    mutating func took(_ answer: WireConnection.Answer, on connection: Int, after microseconds: UInt32) -> Bool {
        if answer.status == 200 { answers += 1 } else { errors += 1 }
        latencies.note(microseconds)
        return LoadLoop.now() < end
    }

    mutating func broke(_ connection: Int) { errors += 1 }
}
