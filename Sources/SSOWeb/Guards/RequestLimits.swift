/// How large the head of a request may be.
enum RequestLimits {
    /// The request target in bytes; longer ones get 414.
    static let target = 8 * 1024
    /// Request line and headers together (contract 7); longer ones get 431.
    static let head = 16 * 1024
    /// More fields than this get 431: a hundred thousand tiny ones cost more than their bytes.
    static let fields = 64
}
