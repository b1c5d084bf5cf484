package com.example.app

import java.net.URI

/**
 * Decides for any URL where it opens: the rules of SSONative (Sources/SSONative/Links) in Kotlin, for an identity
 * provider's app. The table of URLs in Tests/SSONativeTests/LinkPolicyTests.swift is meant for both, with one
 * exception: a disguised letter in a path is ignored here. Only the Swift side is tested.
 *
 * The web view shows exactly one origin, the server's. When in doubt, a URL leaves the web view or is ignored.
 */
class LinkPolicy(server: String, val callback: String) {
    sealed interface Decision {
        data object WebView : Decision
        data object System : Decision
        data class Browser(val method: String) : Decision
        data object Reset : Decision
        data object Ignore : Decision
    }

    private val origin = requireNotNull(originOf(requireNotNull(parse(server)))) { "not an origin: $server" }

    fun decide(url: String): Decision {
        val uri = parse(url) ?: return Decision.Ignore
        val scheme = uri.scheme.lowercase()
        if (scheme == "https" || scheme == "http") {
            val other = originOf(uri) ?: return Decision.Ignore
            return if (other == origin) decideOwnPage(uri) else Decision.System
        }
        // A scheme with a dot belongs to an app (RFC 8252, section 7.1), but this app's own callback counts only as the
        // result of a browser session. javascript, intent, data, file, content and about open nothing.
        val isApp = '.' in scheme && scheme != parse(callback)?.scheme?.lowercase()
        return if (isApp || scheme == "mailto" || scheme == "tel") Decision.System else Decision.Ignore
    }

    /** Whether a link from outside may open in this app: pages of the server that change nothing by being opened. */
    fun acceptsFromOutside(url: String) = decide(url) == Decision.WebView

    /** The pages that the path configuration opens as a modal. */
    fun isSignInPage(url: String) = ownPath(url).let { it == "/sign-in" || it?.startsWith("/sign-in/") == true }

    fun isSignInLink(url: String) = parse(url)?.rawPath?.startsWith("/sign-in/link/") == true

    /** The path of a page of the server, or null. */
    fun ownPath(url: String): String? =
        parse(url)?.takeIf { originOf(it) == origin }?.let { it.rawPath.ifEmpty { "/" } }

    private fun decideOwnPage(uri: URI): Decision {
        val path = uri.rawPath.ifEmpty { "/" }
        val segments = path.split('/').filter { it.isNotEmpty() }
        // Browsers remove dot segments, and servers decode letters: such a path could mean another one.
        if (segments.any { it == "." || it == ".." } || disguised.containsMatchIn(path)) return Decision.Ignore
        if (path == "/reset_app") return Decision.Reset
        val first = segments.firstOrNull()?.lowercase()
        if (first == "reset_app" || first == "hotwire_native") return Decision.Ignore
        if (first != "auth" || path in pagesBelowAuth) return Decision.WebView
        val method = handoff.matchEntire(path)?.groupValues?.get(1)
        return if (method == null || method in notMethods) Decision.System else Decision.Browser(method)
    }

    companion object {
        private val pagesBelowAuth = setOf("/auth/sso/authorize", "/auth/sso/complete", "/auth/sso/sign-out")

        /** Percent-encoded letters, digits, `-`, `.`, `_`, `~`, slashes, backslashes and control characters. */
        private val disguised =
            Regex("%([01]|2[d-f]|3[0-9]|4[1-9a-f]|5[0-9acf]|6[1-9a-f]|7[0-9aef])", RegexOption.IGNORE_CASE)
        private val handoff = Regex("/auth/(?:native/)?([a-z0-9][a-z0-9_-]{0,62})")
        private val notMethods = setOf("complete", "native", "sso")

        /** Null for what is not RFC 3986 in ASCII: browsers would repair it. */
        fun parse(url: String): URI? =
            if (url.all { it in '!'..'~' }) runCatching { URI(url) }.getOrNull()?.takeIf { it.scheme != null } else null

        /** Scheme, host and port. Null without a host, and with user information: it makes a host look like another. */
        private fun originOf(uri: URI): Triple<String, String, Int>? {
            val scheme = uri.scheme.lowercase()
            if (uri.isOpaque || uri.host == null || uri.rawUserInfo != null) return null
            val portText = uri.rawAuthority.substringAfterLast(']').substringAfter(':', "")
            if (portText.startsWith("0") || uri.port > 65535) return null
            val defaultPort = if (scheme == "https") 443 else 80
            return Triple(scheme, uri.host.lowercase(), if (uri.port == -1) defaultPort else uri.port)
        }
    }
}
