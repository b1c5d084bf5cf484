package com.example.app

/** What the activity does for [SignIn]. */
interface Screen {
    fun load(url: String)
    fun showSignIn(url: String)
    /** Removes all pages, opens the start page, and calls [then] when it takes URLs again. */
    fun reset(then: () -> Unit)
    /** A page in the browser, or another app. */
    fun openSystem(url: String)
    fun openBrowser(url: String)
    fun showError(text: Int)
}

/**
 * 401 → sign-in → retry, the handoff from the browser, and links that arrive too early: the machine of SSONative
 * (Sources/SSONative/Machine) in Kotlin, for an identity provider's app. Use it on the main thread.
 *
 * A forged callback gains nothing: without the verifier of [Handoff] the server refuses its code, and a link from
 * outside never opens `/hotwire_native/sign_in` or `/reset_app`. With an error it ends no handoff: a code that comes still counts.
 */
class SignIn(
    private val server: String,
    private val policy: LinkPolicy,
    private val store: SecretStore,
    /** Signs in through the browser with this method after a 401, such as "email". Null: on `/sign-in` in the app. */
    private val browserMethod: String? = null,
    private val clock: () -> Long = System::currentTimeMillis,
) {
    /** The navigator's screen, null until it is ready: links wait until then. */
    private var screen: Screen? = null
    private var handoff: Handoff? = store.read()?.let { Handoff.fromJSON(it) }
    private var isRestored = handoff != null
    private var isSignInShown = false
    private var isBrowserOpen = false
    /** The URL that takes a result. Only this one of its kind may load. */
    private var redeeming: String? = null
    private val waiting = mutableListOf<String>()
    private val retries = mutableListOf<String>()
    private val retried = mutableSetOf<String>()

    fun ready(screen: Screen) {
        this.screen = screen
        redeeming?.let { return screen.load(it) }
        // Ended meanwhile, and no result so far: the pages that asked open again.
        if (isRestored) waiting.addAll(0, handoff?.retries.orEmpty().filter { it !in waiting })
        isRestored = false
        release()
    }

    fun lost() { screen = null }

    fun decide(url: String) = if (url == redeeming) LinkPolicy.Decision.WebView else policy.decide(url)

    /** A page, or the app itself, goes to a URL. Returns whether the web view may show it. */
    fun pageRequested(url: String): Boolean {
        when (val decision = decide(url)) {
            LinkPolicy.Decision.WebView -> return true
            LinkPolicy.Decision.System -> screen?.openSystem(url)
            is LinkPolicy.Decision.Browser -> openBrowser(decision.method)
            LinkPolicy.Decision.Reset -> signedIn()
            LinkPolicy.Decision.Ignore -> Unit
        }
        return false
    }

    fun linkOpened(url: String) {
        if (!policy.acceptsFromOutside(url)) return
        // A link from the email belongs to the browser that asked for it.
        val current = screen
        if (isBrowserOpen && policy.isSignInLink(url) && current != null) return current.openSystem(url)
        waiting.add(url)
        release()
    }

    fun pageShown(url: String) {
        if (url == redeeming) return signedIn()
        retried.remove(url)
        val path = policy.ownPath(url) ?: return
        if (path == "/reset_app") return signedIn()
        if (isSignInShown && !policy.isSignInPage(url)) {
            // The user left the sign-in, or its flow is complete.
            isSignInShown = false
            retries.clear()
            release()
        }
    }

    fun unauthorized(url: String) {
        if (url == redeeming) return pageFailed(url, 401)
        if (policy.decide(url) != LinkPolicy.Decision.WebView) return
        if (retried.remove(url)) {
            screen?.showError(R.string.problem_still_signed_out)
            return abandon()
        }
        if (url !in retries) retries.add(url)
        if (isSignInShown || isBrowserOpen || redeeming != null) return
        if (browserMethod != null) return openBrowser(browserMethod)
        isSignInShown = true
        screen?.showSignIn("$server/sign-in")
    }

    fun pageFailed(url: String, status: Int?) {
        retried.remove(url)
        if (url != redeeming) return
        screen?.showError(if (status == null) R.string.problem_no_connection else R.string.problem_refused)
        abandon()
    }

    /** Signs in through the browser. Stored before it opens: the system may end the app meanwhile. */
    fun openBrowser(method: String) {
        val started = Handoff.start(clock(), retries.toList())
        setHandoff(started)
        isBrowserOpen = true
        screen?.openBrowser(started.startURL(method, server, policy.callback))
    }

    fun callback(url: String) {
        val result = Callback.parse(url, policy.callback)
        val handoff = handoff
        // Not the callback, or taken already: the first result decides.
        if (result == null || redeeming != null) return
        isBrowserOpen = false
        when {
            handoff == null -> problem(R.string.problem_not_started_here)
            handoff.hasExpired(clock()) -> { setHandoff(null); problem(R.string.problem_expired) }
            result is Callback.Code -> redeem(handoff, result.code)
            result == Callback.Error("access_denied") -> release()
            result is Callback.Error -> problem(R.string.problem_failed)
            else -> problem(R.string.problem_unreadable)
        }
    }

    /** The user is back without a result, and the browser may still be open: its result still counts. */
    fun returned() {
        if (!isBrowserOpen) return
        isBrowserOpen = false
        release()
    }

    private fun redeem(handoff: Handoff, code: String) {
        retries.addAll(0, handoff.retries.filter { it !in retries })
        waiting.removeAll(retries)
        redeeming = handoff.signInURL(code, server).also { screen?.load(it) }
    }

    private fun signedIn() {
        setHandoff(null)
        redeeming = null
        isBrowserOpen = false
        isSignInShown = false
        waiting.addAll(0, retries)
        retried.clear()
        retried.addAll(retries)
        retries.clear()
        // Links wait until the navigator is there again.
        val current = screen ?: return
        screen = null
        current.reset { ready(current) }
    }

    private fun problem(text: Int) {
        screen?.showError(text)
        release()
    }

    private fun abandon() {
        redeeming = null
        isBrowserOpen = false
        isSignInShown = false
        retries.clear()
        release()
    }

    /** The links that waited, in order. The sign-in page waits for the link from the email. */
    private fun release() {
        val screen = screen ?: return
        if (isBrowserOpen || redeeming != null) return
        val released = if (isSignInShown) waiting.filter(policy::isSignInLink) else waiting.toList()
        waiting.removeAll(released)
        released.forEach(screen::load)
    }

    private fun setHandoff(new: Handoff?) {
        handoff = new
        store.write(new?.toJSON())
    }
}
