package com.example.app

import java.security.MessageDigest
import java.security.SecureRandom
import java.util.Base64
import org.json.JSONArray
import org.json.JSONObject

/**
 * One sign-in in the browser whose result belongs into the web view (Sources/SSONative/Handoff in Kotlin).
 *
 * [verifier] is the secret of RFC 7636: any app can claim the callback's scheme, and one that takes the callback has a
 * code without the verifier, which the server refuses.
 */
data class Handoff(val verifier: String, val startedAt: Long, val retries: List<String>) {
    fun startURL(method: String, server: String, callback: String): String {
        val digest = MessageDigest.getInstance("SHA-256").digest(verifier.toByteArray(Charsets.US_ASCII))
        return "$server/auth/native/$method?challenge=${base64URL(digest)}&redirect=${encoded(callback)}"
    }

    /** For the web view, once. It holds secrets: never log it. */
    fun signInURL(code: String, server: String) =
        "$server/hotwire_native/sign_in?code=${encoded(code)}&verifier=$verifier"

    /** The server's 10 minutes for the sign-in and 60 seconds for the code. */
    fun hasExpired(now: Long) = now - startedAt !in -60_000L until 11 * 60_000L

    fun toJSON(): String = JSONObject()
        .put("verifier", verifier).put("started_at", startedAt).put("retries", JSONArray(retries)).toString()

    override fun toString() = "Handoff(<redacted>)"

    companion object {
        fun start(now: Long, retries: List<String>): Handoff {
            val bytes = ByteArray(32).also { SecureRandom().nextBytes(it) }
            return Handoff(base64URL(bytes), now, retries)
        }

        fun fromJSON(text: String): Handoff? = runCatching {
            val json = JSONObject(text)
            val retries = json.getJSONArray("retries")
            Handoff(
                json.getString("verifier"), json.getLong("started_at"),
                (0 until retries.length()).map { retries.getString(it) })
        }.getOrNull()

        private fun base64URL(bytes: ByteArray) = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes)

        private fun encoded(text: String) = java.net.URLEncoder.encode(text, "UTF-8").replace("+", "%20")
    }
}

/** What the browser brought back. */
sealed interface Callback {
    data class Code(val code: String) : Callback
    data class Error(val error: String) : Callback
    data object Unreadable : Callback

    companion object {
        /** Null if the URL is not this app's callback. Each parameter counts at most once. */
        fun parse(url: String, callback: String): Callback? {
            val uri = LinkPolicy.parse(url) ?: return null
            if (uri.rawFragment != null || url.substringBefore('?') != callback) return null
            val items = uri.rawQuery.orEmpty().split('&').map { it.substringBefore('=') to it.substringAfter('=', "") }
            val codes = items.filter { it.first == "code" }.map { it.second }
            val errors = items.filter { it.first == "error" }.map { it.second }
            return when {
                codes.size == 1 && errors.isEmpty() && codeForm.matches(codes[0]) -> Code(codes[0])
                errors.size == 1 && codes.isEmpty() && errorForm.matches(errors[0]) -> Error(errors[0])
                else -> Unreadable
            }
        }

        private val codeForm = Regex("shc_[A-Za-z0-9_-]{43}")
        private val errorForm = Regex("[a-z_]{1,64}")
    }
}
