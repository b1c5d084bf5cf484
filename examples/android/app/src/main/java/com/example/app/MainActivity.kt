package com.example.app

import android.content.ActivityNotFoundException
import android.content.Intent
import android.os.Bundle
import android.view.View
import androidx.activity.enableEdgeToEdge
import androidx.browser.customtabs.CustomTabsClient
import androidx.browser.customtabs.CustomTabsIntent
import androidx.core.net.toUri
import com.google.android.material.dialog.MaterialAlertDialogBuilder
import dev.hotwire.navigation.activities.HotwireActivity
import dev.hotwire.navigation.navigator.Navigator
import dev.hotwire.navigation.navigator.NavigatorConfiguration
import dev.hotwire.navigation.util.applyDefaultImeWindowInsets

/** Carries out what [SignIn] decides, and reports to it the links that the system brings. */
class MainActivity : HotwireActivity(), Screen {
    private val signIn get() = (application as App).signIn

    override fun onCreate(savedInstanceState: Bundle?) {
        enableEdgeToEdge()
        super.onCreate(savedInstanceState)
        setContentView(R.layout.activity_main)
        findViewById<View>(R.id.main_nav_host).applyDefaultImeWindowInsets()
        // Cold start by a link: it waits in SignIn until the navigator is ready.
        if (savedInstanceState == null) open(intent)
    }

    override fun onNewIntent(intent: Intent) {
        super.onNewIntent(intent)
        setIntent(intent)
        open(intent)
    }

    override fun onResume() {
        super.onResume()
        // After onNewIntent: a callback has been taken by now.
        signIn.returned()
    }

    override fun onNavigatorReady(navigator: Navigator) {
        super.onNavigatorReady(navigator)
        signIn.ready(this)
    }

    override fun onDestroy() {
        signIn.lost()
        super.onDestroy()
    }

    override fun navigatorConfigurations() = listOf(
        NavigatorConfiguration(
            name = "main", startLocation = "${BuildConfig.SERVER}/", navigatorHostId = R.id.main_nav_host)
    )

    private fun open(intent: Intent) {
        val url = intent.dataString ?: return
        if (intent.getBooleanExtra(CALLBACK, false)) signIn.callback(url) else signIn.linkOpened(url)
    }

    override fun load(url: String) {
        delegate.currentNavigator?.route(url)
    }

    override fun showSignIn(url: String) {
        // The path configuration makes it a modal that takes the place of the page with the 401 (`replace`). Hotwire
        // refuses a modal with `replace_root`.
        delegate.currentNavigator?.route(url)
    }

    override fun reset(then: () -> Unit) {
        delegate.currentNavigator?.reset(then) ?: then()
    }

    override fun openSystem(url: String) {
        if (url.startsWith("http")) openBrowser(url) else view(Intent(Intent.ACTION_VIEW, url.toUri()))
    }

    override fun openBrowser(url: String) {
        val tab = CustomTabsIntent.Builder().setShareState(CustomTabsIntent.SHARE_STATE_OFF).build()
        // The browser by name: a link of this app's own server would come back to this app.
        view(tab.intent.setData(url.toUri()).setPackage(CustomTabsClient.getPackageName(this, null)))
    }

    override fun showError(text: Int) {
        MaterialAlertDialogBuilder(this).setMessage(text).setPositiveButton(android.R.string.ok, null).show()
    }

    private fun view(intent: Intent) {
        try {
            startActivity(intent)
        } catch (_: ActivityNotFoundException) {
            showError(R.string.problem_failed)
        }
    }

    companion object {
        const val CALLBACK = "com.example.app.CALLBACK"
    }
}
