import Foundation

extension Browser {
    /// Fills in a form of a page and sends it with a file, as a browser does (WHATWG HTML 4.10.21.8).
    ///
    /// - Parameters:
    ///   - name: of the file, which the browser takes from the disk.
    ///   - token: in place of the form's own.
    func upload(
        _ file: [UInt8], named name: String = "me.png", as field: String = "picture", with form: ScannedForm?,
        on visit: Visit, token: String? = nil, _ headers: HTTPProbe.Headers = []
    ) async throws -> Visit {
        guard let form else { throw ProbeFailure("no such form at \(visit.address.absolute): \(visit.text)") }
        let (address, boundary) = (try visit.address.resolving(form.action), "----WebKitFormBoundaryAb12Cd34")
        var fields = form.filled(token.map { ["form_token": $0] } ?? [:]).filter { $0.0 != field }
        if address.target == Self.pathWithoutToken { fields.removeAll { $0.0 == "form_token" } }
        var body: [UInt8] = []
        for (name, value) in fields {
            body += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8
        }
        let type = name.isEmpty ? "application/octet-stream" : "image/png"
        body += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(field)\"; filename=\"\(name)\"\r\n".utf8
        body += Array("Content-Type: \(type)\r\n\r\n".utf8) + file + Array("\r\n--\(boundary)--\r\n".utf8)
        let own = [("Content-Type", "multipart/form-data; boundary=\(boundary)"), ("Origin", address.origin)]
        return try await send(
            "POST", address, own.filter { $0.0 != "Origin" || headers.allSatisfy { $0.0 != "Origin" } } + headers,
            body: body)
    }

    /// Gives the account of this browser a picture. Redirects are not followed.
    func givePicture(
        _ file: [UInt8] = SamplePicture.png, named name: String = "me.png", at origin: String
    ) async throws -> Visit {
        let page = try await get(origin + "/picture")
        return try await upload(file, named: name, with: page.page().form(to: "/picture"), on: page)
    }
}

/// Small pictures of each kind, which begin and end as theirs do.
enum SamplePicture {
    /// One that browsers show.
    static let png = [UInt8](
        Data(
            base64Encoded: """
                iVBORw0KGgoAAAANSUhEUgAAADAAAAAwCAIAAADYYG7QAAAAi0lEQVR42u3Xyw2AMAwDUA/FRMzDmdEYhlMnoP9ENrKUAd6h\
                aWwc5001MMgggwxSBr3P9TXZoAplkYU4zZwJoZoJE6I1oyYkaIZMsqBFTb/JIIMMMkgF5NOheO0Z8xBjYmTM1Iytw0VRGrTr\
                9fxly4g+RtegSEo/Sw20XdM0IV9TN+mAQjUVk0EtUAEI1RNTBa1itwAAAABJRU5ErkJggg==
                """) ?? Data())
    static let pngEnd: [UInt8] = [0, 0, 0, 0] + Array("IEND".utf8) + [0xae, 0x42, 0x60, 0x82]
    static let jpeg: [UInt8] = [0xff, 0xd8, 0xff, 0xe0, 0, 16] + Array("JFIF".utf8) + [0, 1, 1, 0, 0, 1, 0xff, 0xd9]
    static let webp: [UInt8] =
        Array("RIFF".utf8) + [18, 0, 0, 0] + Array("WEBPVP8L".utf8) + [6, 0, 0, 0, 0x2f, 0, 0, 0, 0, 0]

    /// A PNG of so many bytes.
    static func png(of count: Int) -> [UInt8] {
        png.dropLast(pngEnd.count) + [UInt8](repeating: 0x41, count: count - png.count) + pngEnd
    }
}
