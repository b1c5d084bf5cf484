package com.example.app

import android.os.Handler
import android.os.Looper
import dev.hotwire.navigation.activities.HotwireActivity
import dev.hotwire.navigation.navigator.NavigatorConfiguration
import dev.hotwire.navigation.routing.Router

/** Asks [SignIn] about every URL that a page or the app wants to visit. It is the only handler. */
class LinkHandler(private val signIn: SignIn) : Router.RouteDecisionHandler {
    override val name = "sso"

    override fun matches(location: String, configuration: NavigatorConfiguration) = true

    override fun handle(
        location: String, configuration: NavigatorConfiguration, activity: HotwireActivity
    ): Router.Decision {
        if (signIn.decide(location) == LinkPolicy.Decision.WebView) return Router.Decision.NAVIGATE
        // Not inside this call: a reset changes the pages that the navigator is working on.
        Handler(Looper.getMainLooper()).post { signIn.pageRequested(location) }
        return Router.Decision.CANCEL
    }
}
