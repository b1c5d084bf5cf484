import Foundation
import SSOShared

@testable import WellKnownTool

/// An Xcode project file with one app target and its tests, in two configurations.
struct XcodeSample: Sendable {
    var target: String
    var configuration: String
    /// The path of the entitlements of the release build.
    var path: String
    var settings: [String: String] = [:]
    var isQuoted = false
    var hasSourceRoot = false

    static func entitlements(_ domain: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict><key>com.apple.developer.associated-domains</key><array>
        <string>\(domain)</string></array></dict></plist>
        """
    }

    var text: String {
        let quote = isQuoted ? "\"" : ""
        let file = hasSourceRoot ? "\"$(SRCROOT)/\(path)\"" : "\"\(path)\""
        let debug = path.replacing(".entitlements", with: "Debug.entitlements")
        let extra = settings.sorted { $0.key < $1.key }.map { "\($0.key) = \"\($0.value)\";" }.joined(separator: " ")
        return """
            // !$*UTF8*$!
            {
              archiveVersion = 1; classes = { }; objectVersion = 56;
              objects = {
                /* Begin PBXNativeTarget section */
                T1 /* \(target) */ = {isa = PBXNativeTarget; buildConfigurationList = L1 /* list */; name = "\(target)";
                  productType = \(quote)com.apple.product-type.application\(quote); };
                T2 /* Tests */ = {isa = PBXNativeTarget; buildConfigurationList = L2; name = Tests;
                  productType = "com.apple.product-type.bundle.unit-test"; };
                L1 = {isa = XCConfigurationList; buildConfigurations = (C1 /* Debug */, C2, ); };
                L2 = {isa = XCConfigurationList; buildConfigurations = (C3); };
                L0 = {isa = XCConfigurationList; buildConfigurations = (C4, C5, ); };
                C1 = {isa = XCBuildConfiguration; name = Debug; buildSettings = {
                  CODE_SIGN_ENTITLEMENTS = "\(debug)"; PRODUCT_BUNDLE_IDENTIFIER = com.acme.shop.debug; }; };
                C2 = {isa = XCBuildConfiguration; name = "\(configuration)"; buildSettings = {
                  CODE_SIGN_ENTITLEMENTS = \(file); PRODUCT_BUNDLE_IDENTIFIER = "com.acme.$(LAST)"; LAST = shop;
                  LD_RUNPATH_SEARCH_PATHS = ( "$(inherited)", "@executable_path/Frameworks", ); \(extra) }; };
                C3 = {isa = XCBuildConfiguration; name = Release; buildSettings = {PRODUCT_BUNDLE_IDENTIFIER = com.acme.tests; }; };
                C4 = {isa = XCBuildConfiguration; name = Debug; buildSettings = { }; };
                C5 = {isa = XCBuildConfiguration; name = "\(configuration)"; buildSettings = {DEVELOPMENT_TEAM = K7Q2M9X4TB; }; };
                P = {isa = PBXProject; buildConfigurationList = L0; targets = (T1, T2, ); };
              };
              rootObject = P /* Project object */;
            }
            """
    }
}

/// Writes XML in the compiled form of an APK, for tests of its reader.
struct BinaryXMLEncoder {
    var isUTF8 = true
    var leavesNamesOut = false
    var hasRawValues = true
    /// The number that stands for a reference.
    var reference: UInt32 = 0x7f0e_0001

    private static let numbers: [String: UInt32] = [
        "name": 0x0101_0003, "exported": 0x0101_0010, "scheme": 0x0101_0027, "host": 0x0101_0028,
        "pathPrefix": 0x0101_002b, "autoVerify": 0x0101_04ee,
    ]

    func bytes(_ root: ProjectXMLElement) -> [UInt8] {
        var pool: [String] = []
        // The names with numbers come first, in the order of the resource map.
        let known = Self.numbers.keys.sorted()
        pool += known.map { leavesNamesOut ? "" : $0 }
        func index(_ text: String) -> UInt32 {
            if let found = pool.dropFirst(known.count).firstIndex(of: text) { return UInt32(found) }
            pool.append(text)
            return UInt32(pool.count - 1)
        }
        let uri = index(AndroidManifest.namespace)
        let prefix = index("android")
        var body = chunk(0x0100, 16, le(1, 4) + le(~0, 4), le(prefix, 4) + le(uri, 4))
        func write(_ element: ProjectXMLElement) {
            var attributes: [UInt8] = []
            let written = element.attributes.filter { !$0.name.hasPrefix("xmlns:") }
            for attribute in written {
                let isAndroid = attribute.name.hasPrefix("android:")
                let name = isAndroid ? String(attribute.name.dropFirst(8)) : attribute.name
                let number = known.firstIndex(of: name).map { UInt32($0) } ?? index(name)
                attributes += le(isAndroid ? uri : ~0, 4) + le(number, 4)
                let isFlag = attribute.value == "true" || attribute.value == "false"
                let isReference = attribute.value.hasPrefix("@")
                let text = index(attribute.value)
                attributes += le(hasRawValues && !isFlag && !isReference ? text : ~0, 4) + le(8, 2) + [0]
                if isFlag {
                    attributes += [0x12] + le(attribute.value == "true" ? ~0 : 0, 4)
                } else if isReference {
                    attributes += [0x01] + le(reference, 4)
                } else {
                    attributes += [0x03] + le(text, 4)
                }
            }
            let extended =
                le(~0, 4) + le(index(element.name), 4) + le(20, 2) + le(20, 2) + le(UInt32(written.count), 2)
                + le(0, 2) + le(0, 2) + le(0, 2) + attributes
            body += chunk(0x0102, 16, le(UInt32(element.position.line), 4) + le(~0, 4), extended)
            element.children.forEach(write)
            body += chunk(
                0x0103, 16, le(UInt32(element.position.line), 4) + le(~0, 4), le(~0, 4) + le(index(element.name), 4))
        }
        write(root)
        body += chunk(0x0101, 16, le(1, 4) + le(~0, 4), le(prefix, 4) + le(uri, 4))
        let map = known.flatMap { le(Self.numbers[$0] ?? 0, 4) }
        let content = strings(pool) + chunk(0x0180, 8, [], map) + body
        return le(0x0003, 2) + le(8, 2) + le(UInt32(content.count + 8), 4) + content
    }

    private func strings(_ pool: [String]) -> [UInt8] {
        var offsets: [UInt8] = []
        var data: [UInt8] = []
        for text in pool {
            offsets += le(UInt32(data.count), 4)
            if isUTF8 {
                data += [UInt8(text.unicodeScalars.count), UInt8(text.utf8.count)] + Array(text.utf8) + [0]
            } else {
                data += le(UInt32(text.utf16.count), 2) + text.utf16.flatMap { le(UInt32($0), 2) } + [0, 0]
            }
        }
        while data.count % 4 != 0 { data.append(0) }
        let header =
            le(UInt32(pool.count), 4) + le(0, 4) + le(isUTF8 ? 0x100 : 0, 4) + le(UInt32(28 + offsets.count), 4)
            + le(0, 4)
        return chunk(0x0001, 28, header, offsets + data)
    }

    private func chunk(_ type: UInt32, _ header: UInt32, _ head: [UInt8], _ body: [UInt8]) -> [UInt8] {
        le(type, 2) + le(header, 2) + le(UInt32(8 + head.count + body.count), 4) + head + body
    }

    private func le(_ number: UInt32, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt32(8 * $0)) }
    }
}

/// Writes XML as the Protocol Buffers message of an app bundle, for tests of its reader.
struct ProtoXMLEncoder {
    var hasCompiledValues = true
    var hasTexts = false
    var hasLines = true

    func bytes(_ element: ProjectXMLElement) -> [UInt8] {
        var body = text(3, element.name)
        for attribute in element.attributes where !attribute.name.hasPrefix("xmlns:") {
            let isAndroid = attribute.name.hasPrefix("android:")
            let name = isAndroid ? String(attribute.name.dropFirst(8)) : attribute.name
            var inner = (isAndroid ? text(1, AndroidManifest.namespace) : []) + text(2, name)
            let isFlag = attribute.value == "true" || attribute.value == "false"
            if hasCompiledValues, isFlag {
                // A false flag is the default of the message and not written.
                let flag: [UInt8] = attribute.value == "true" ? [0x40, 1] : []
                inner += message(6, message(7, flag))
            } else if hasCompiledValues {
                inner += message(6, message(2, text(1, attribute.value)))
            } else {
                inner += text(3, attribute.value)
            }
            body += message(4, inner)
        }
        for child in element.children {
            if hasTexts { body += message(5, text(2, "\n  ")) }
            body += message(5, bytes(child))
        }
        return message(1, body) + (hasLines ? message(3, [0x08] + varint(element.position.line)) : [])
    }

    /// A table with one text.
    func resources(_ name: String, _ value: String) -> [UInt8] {
        let config = message(6, message(2, message(4, message(2, text(1, value)))))
        return message(2, message(3, text(2, "string") + message(3, text(2, name) + config)))
    }

    private func text(_ field: Int, _ text: String) -> [UInt8] { message(field, Array(text.utf8)) }

    private func message(_ field: Int, _ content: [UInt8]) -> [UInt8] {
        varint(field << 3 | 2) + varint(content.count) + content
    }

    private func varint(_ number: Int) -> [UInt8] {
        number < 128 ? [UInt8(number)] : [UInt8(number & 127 | 128)] + varint(number >> 7)
    }
}

/// A zip archive of stored entries.
enum StoredZip {
    /// - Parameter block: the bytes before the directory, where an APK has its signing block.
    static func bytes(_ entries: [String: [UInt8]], block: [UInt8] = []) -> [UInt8] {
        var local: [UInt8] = []
        var directory: [UInt8] = []
        for (name, content) in entries.sorted(by: { $0.key < $1.key }) {
            let sizes = le(0, 4) + le(content.count, 4) + le(content.count, 4)
            let tail = le(name.utf8.count, 2) + le(0, 2)
            let offset = local.count
            local +=
                [0x50, 0x4b, 3, 4] + le(20, 2) + le(0, 2) + le(0, 2) + le(0, 4) + sizes + tail + name.utf8 + content
            directory +=
                [0x50, 0x4b, 1, 2] + le(20, 2) + le(20, 2) + le(0, 2) + le(0, 2) + le(0, 4) + sizes + tail
            directory += le(0, 2) + le(0, 2) + le(0, 2) + le(0, 4) + le(offset, 4) + name.utf8
        }
        let end =
            [0x50, 0x4b, 5, 6] + le(0, 4) + le(entries.count, 2) + le(entries.count, 2) + le(directory.count, 4)
            + le(local.count + block.count, 4) + le(0, 2)
        return local + block + directory + end
    }

    private static func le(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
