/// The body is not an association file.
enum BodyRules {
    static let rules: [LintRule] = [
        empty, html, symlink, rtf, signed, lfsPointer, mergeConflict, frontMatter, jsModule, doubleEncoded, swapped,
    ]

    static let empty = LintRule(
        "body.empty", .error, "The body is empty or white space",
        reason: "The answer has status 200, so checks of the status pass, but the file has no rule.",
        fix: "Deploy the file again. An upload or a build step left it empty.",
        source: "RFC 8259 section 2: a JSON text holds a value", wrong: .aasa("\n"))
    static let html = LintRule(
        "body.html", .error, "The body is a page, not JSON",
        reason: "The fallback of a single-page app, a soft 404 or a bot challenge answers with status 200. A browser "
            + "shows a page, and every reader of the file rejects it.",
        fix: "Exempt /.well-known/ from the fallback, the login and the bot protection.",
        source: "Apple, TN3155 Debugging universal links",
        wrong: .aasa("<!DOCTYPE html>\n<html><head><title>Shop</title></head><body></body></html>\n"))
    static let symlink = LintRule(
        "body.symlink", .error, "The body is the text of a symbolic link",
        reason: "Git stores a link as the path of its target. A server that does not follow links sends this path as "
            + "the file.", fix: "Deploy a copy instead of the link, or let the server resolve it.",
        source: "gitformat-index(5), mode 120000", wrong: .aasa("../apple-app-site-association"))
    static let rtf = LintRule(
        "body.rtf", .error, "The body is RTF",
        reason: "TextEdit saves rich text by default. The editor shows JSON, but the file contains markup.",
        fix: "Choose Format > Make Plain Text, and save again without an extension.",
        source: "Rich Text Format Specification 1.9.1", wrong: .aasa("{\\rtf1\\ansi {\\}}\n"))
    static let signed = LintRule(
        "body.signed", .warning, "The file is signed",
        reason: "Signing has been deprecated since 2019 and was never needed for universal links. The certificate "
            + "expires, and other readers see no JSON.",
        fix: "Serve the JSON that the signed file contains.", source: "Apple, WWDC 2019 session 717; RFC 5652")
    static let lfsPointer = LintRule(
        "body.lfs-pointer", .error, "The body is a Git LFS pointer",
        reason: "The deployment did not fetch the large files, and serves the pointer instead of the content.",
        fix: "Run git lfs pull before deploying, or take the file out of LFS.", source: "git-lfs, docs/spec.md",
        wrong: .aasa("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n"))
    static let mergeConflict = LintRule(
        "body.merge-conflict", .error, "A merge conflict was left in the file",
        reason: "The conflict markers make the whole file unreadable.",
        fix: "Resolve the conflict and deploy again.", source: "git-merge(1), How conflicts are presented",
        wrong: .aasa("<<<<<<< HEAD\n{}\n=======\n{\"a\":1}\n>>>>>>> main\n"))
    static let frontMatter = LintRule(
        "body.front-matter", .error, "The file begins with front matter",
        reason: "The site generator copied the file instead of processing it, and left the header in it.",
        fix: "Let the generator process the file, or remove the header and copy the file unchanged.",
        source: "Jekyll, Front Matter", wrong: .aasa("---\nlayout: null\n---\n{}\n"))
    static let jsModule = LintRule(
        "body.js-module", .error, "The body is JavaScript, not JSON",
        reason: "A bundler can use the module. Phones cannot read it.",
        fix: "Write the value alone as JSON, and serve that.", source: "RFC 8259 section 2",
        wrong: .aasa("export default {\"applinks\": {}}\n"))
    static let doubleEncoded = LintRule(
        "body.double-encoded", .error, "The body is a JSON string that holds JSON",
        reason: "A framework serialised a text that was already JSON. A browser's console shows both forms alike.",
        fix: "Send the text unchanged, or give the framework the value instead of the text.",
        source: "RFC 8259 section 7", wrong: .aasa("\"{\\\"applinks\\\": {}}\"\n"))
    static let swapped = LintRule(
        "body.swapped", .error, "This is the content of the other file",
        reason: "Both addresses answer with status 200 and JSON, and neither system finds a key that it knows.",
        fix: "Serve apple-app-site-association and assetlinks.json each under its own name.",
        source: "Apple, Supporting associated domains; Digital Asset Links specification, well-known/details.md",
        wrong: .assetlinks(sound))

    static let sound = """
        {
          "applinks": {
            "details": [{"appIDs": ["4J6K8M2N9P.com.acme.shop"], "components": [{"/": "/buy/*"}]}]
          },
          "webcredentials": {"apps": ["4J6K8M2N9P.com.acme.shop"]}
        }

        """
}

/// The text is not JSON, or readers interpret its JSON differently.
enum JSONRules {
    static let rules: [LintRule] = [
        invalid, trailingComma, comment, smartQuotes, invisible, byteOrderMark, encoding, duplicateKey, deep, root,
        noFinalNewline,
    ]

    static let invalid = LintRule(
        "json.invalid", .error, "The file is not JSON",
        reason:
            "One wrong character disables the whole file. Apple's CDN reports SWCERR00401, and Google's service takes the "
            + "list for none.", fix: "Correct the text at this position.",
        source: "RFC 8259", wrong: .aasa("{\"applinks\": {\"details\": []}\n"))
    static let trailingComma = LintRule(
        "json.trailing-comma", .warning, "A comma before the end of a list",
        reason: "Apple's reader accepts it: live files and WebKit show that, and no document confirms it. "
            + "Google's and most other readers reject the whole file.",
        fix: "Remove the comma.", source: "RFC 8259 sections 4 and 5; Digital Asset Links compatibility suite",
        wrong: .aasa("{\"webcredentials\": {\"apps\": [\"4J6K8M2N9P.com.acme.shop\",]}}\n"),
        right: .aasa("{\"webcredentials\": {\"apps\": [\"4J6K8M2N9P.com.acme.shop\"]}}\n"))
    static let comment = LintRule(
        "json.comment", .error, "JSON has no comments",
        reason: "Editors accept the comment. Every reader of the file stops at it.",
        fix: "Remove the comment. A component may have a \"comment\" key instead.",
        source: "RFC 8259 section 2; Apple, applinks.Details.Components", wrong: .aasa("// links\n" + BodyRules.sound))
    static let smartQuotes = LintRule(
        "json.smart-quotes", .error, "A typographic quotation mark instead of a plain one",
        reason: "A word processor or a blog replaced the quotation marks. The file looks right and is not JSON.",
        fix: "Replace the marks with \" (U+0022).", source: "RFC 8259 section 7",
        wrong: .aasa("{\u{201c}webcredentials\u{201d}: {\"apps\": [\"4J6K8M2N9P.com.acme.shop\"]}}\n"),
        right: .aasa("{\"webcredentials\": {\"apps\": [\"4J6K8M2N9P.com.acme.shop\"]}}\n"))
    static let invisible = LintRule(
        "json.invisible", .error, "A character that cannot be seen",
        reason: "Outside strings, JSON does not allow it. Inside a string, the text looks right and equals no other "
            + "text.", fix: "Remove the character.", source: "RFC 8259 section 2; Unicode, general category Cf",
        wrong: .aasa("{\"webcredentials\": {\"apps\": [\"4J6K8M2N9P.com.ac\u{200b}me.shop\"]}}\n"),
        right: .aasa("{\"webcredentials\": {\"apps\": [\"4J6K8M2N9P.com.acme.shop\"]}}\n"))
    static let byteOrderMark = LintRule(
        "json.bom", .warning, "The file begins with a byte-order mark",
        reason: "Foundation skips the mark. A strict parser stops at the first byte.",
        fix: "Save the file as UTF-8 without a mark.", source: "RFC 8259 section 8.1",
        wrong: .aasa("\u{feff}" + BodyRules.sound))
    static let encoding = LintRule(
        "json.encoding", .error, "The file is not UTF-8",
        reason: "Foundation reads UTF-16. Other readers reject the file.",
        fix: "Save the file as UTF-8 without a mark.", source: "RFC 8259 section 8.1")
    static let duplicateKey = LintRule(
        "json.duplicate-key", .error, "A key appears twice in one object",
        reason: "One reader keeps the first value, another the last. The other value has no effect.",
        fix: "Join the two values under one key.", source: "RFC 8259 section 4",
        wrong: .aasa(
            """
            {
              "webcredentials": {"apps": ["4J6K8M2N9P.com.acme.shop"]},
              "webcredentials": {"apps": ["4J6K8M2N9P.com.acme.other"]}
            }

            """),
        right: .aasa(
            "{\"webcredentials\": {\"apps\": [\"4J6K8M2N9P.com.acme.shop\", \"4J6K8M2N9P.com.acme.other\"]}}\n"))
    static let deep = LintRule(
        "json.deep", .error, "The file is nested deeper than readers go",
        reason: "Foundation rejects a file with more than 512 levels.",
        fix: "These files need six levels. Remove the extra brackets.",
        source: "RFC 8259 section 9; swift-foundation, JSONScanner",
        wrong: .aasa(String(repeating: "[", count: 513) + String(repeating: "]", count: 513) + "\n"))
    static let root = LintRule(
        "json.root", .error, "The root is of the wrong type",
        reason: "Apple's file is an object and Google's a list. With another type, the whole file has no effect.",
        fix: "Put Google's statements into [ ], or Apple's services into { }.",
        source: "Apple, Supporting associated domains; Digital Asset Links specification, well-known/details.md",
        wrong: .aasa("[]\n"))
    static let noFinalNewline = LintRule(
        "json.no-final-newline", .info, "The last line does not end",
        reason: "Nothing fails. Tools that join or compare files show a change.",
        fix: "End the file with a line break.", source: "POSIX.1-2024, 3.185 Line")
}
