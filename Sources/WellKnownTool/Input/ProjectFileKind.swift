/// A file of an app's project or build that is given where an association file is expected.
enum ProjectFileKind {
    /// What the file is, and which option takes it. Its first bytes and, for XML, the root element tell.
    ///
    /// - Returns: `nil` for any other content.
    static func explanation(of bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0x03, 0x00, 0x08, 0x00]) {
            return "this is the binary form of an Android manifest, not an association file. Give it with --manifest: "
                + "wellknown match URL --assetlinks assetlinks.json --manifest FILE"
        }
        if bytes.starts(with: [0x50, 0x4b, 0x03, 0x04]) {
            return "this is a zip archive, such as an APK, not an association file. Give an APK with --cert for its "
                + "certificate and with --manifest for its manifest, an .ipa with --entitlements: wellknown doctor DOMAIN"
        }
        if bytes.starts(with: "-----BEGIN CERTIFICATE".utf8) || bytes.starts(with: [0xfe, 0xed, 0xfe, 0xed]) {
            return
                "this is a certificate or a key store, not an association file. Give it with --cert: wellknown doctor DOMAIN "
                + "--cert FILE"
        }
        switch bytes.starts(with: "bplist0".utf8) ? "plist" : rootElement(bytes) {
        case "manifest":
            return "this is an Android manifest, not an association file. Give it with --manifest: wellknown match URL "
                + "--assetlinks assetlinks.json --manifest AndroidManifest.xml, or wellknown doctor DOMAIN --manifest FILE"
        case "plist":
            let isProfile = bytes.first == UInt8(ascii: "<") && contains(bytes, "<key>Entitlements</key>")
            return isProfile
                ? "this is the content of a provisioning profile, not an association file. Give it with --profile: wellknown "
                    + "doctor DOMAIN --profile FILE"
                : "this is a property list, such as an app's entitlements, not an association file. Give it with "
                    + "--entitlements: wellknown doctor DOMAIN --entitlements FILE"
        default: return nil
        }
    }

    /// The name of the first element, after declarations and comments.
    private static func rootElement(_ bytes: [UInt8]) -> String? {
        var rest = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes[3...] : bytes[...]
        while true {
            rest = rest.drop { $0 <= 0x20 }
            guard rest.first == UInt8(ascii: "<") else { return nil }
            let isComment = rest.starts(with: "<!--".utf8)
            guard isComment || rest.starts(with: "<?".utf8) || rest.starts(with: "<!".utf8) else { break }
            let end = Array((isComment ? "-->" : ">").utf8)
            guard let start = rest.firstRange(of: end) else { return nil }
            rest = rest[start.upperBound...]
        }
        let name = rest.dropFirst().prefix { $0 > 0x20 && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
        return name.count <= 100 ? String(decoding: name, as: UTF8.self) : nil
    }

    private static func contains(_ bytes: [UInt8], _ text: String) -> Bool {
        bytes.firstRange(of: Array(text.utf8)) != nil
    }
}
