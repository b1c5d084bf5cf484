package com.example.app

import android.app.Application
import android.content.Context
import androidx.webkit.WebViewCompat
import androidx.webkit.WebViewFeature
import dev.hotwire.core.config.Hotwire
import dev.hotwire.core.turbo.config.PathConfiguration
import dev.hotwire.core.turbo.webview.HotwireWebView
import dev.hotwire.navigation.config.defaultFragmentDestination
import dev.hotwire.navigation.config.registerFragmentDestinations
import dev.hotwire.navigation.config.registerRouteDecisionHandlers

class App : Application() {
    lateinit var signIn: SignIn
        private set

    override fun onCreate() {
        super.onCreate()
        val policy = LinkPolicy(BuildConfig.SERVER, BuildConfig.CALLBACK)
        // With `browserMethod = "email"` a 401 opens the browser in place of a page in the app.
        signIn = SignIn(BuildConfig.SERVER, policy, KeystoreStore(this))
        Hotwire.loadPathConfiguration(
            context = this,
            location = PathConfiguration.Location(
                assetFilePath = "json/path-configuration.json",
                remoteFileUrl = "${BuildConfig.SERVER}/configurations/android_v1.json"
            )
        )
        Hotwire.defaultFragmentDestination = WebFragment::class
        Hotwire.registerFragmentDestinations(WebFragment::class)
        Hotwire.registerRouteDecisionHandlers(LinkHandler(signIn, policy))
        Hotwire.config.makeCustomWebView = { context -> HotwireWebView(context, null).also { addTurbo(it, context) } }
    }

    /**
     * The server's pages work without a JavaScript framework. Hotwire Native needs Turbo on each page, so the app
     * brings it along (turbo.js, see README.md). It starts when the document is there.
     */
    private fun addTurbo(webView: HotwireWebView, context: Context) {
        check(WebViewFeature.isFeatureSupported(WebViewFeature.DOCUMENT_START_SCRIPT)) { "Update the WebView." }
        val source = context.assets.open("turbo.js").bufferedReader().use { it.readText() }
        val script = "addEventListener(\"DOMContentLoaded\", () => {\n$source\n}, {once: true})"
        WebViewCompat.addDocumentStartJavaScript(webView, script, setOf(BuildConfig.SERVER))
    }
}
