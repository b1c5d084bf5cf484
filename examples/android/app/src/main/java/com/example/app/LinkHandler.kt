package com.example.app

import android.os.Handler
import android.os.Looper
import dev.hotwire.navigation.activities.HotwireActivity
import dev.hotwire.navigation.navigator.NavigatorConfiguration
import dev.hotwire.navigation.routing.Router

/** Asks [SignIn] about every URL that a page or the app wants to visit. It is the only handler. */
class LinkHandler(private val signIn: SignIn, private val policy: LinkPolicy) : Router.RouteDecisionHandler {
    override val name = "sso"

    override fun matches(location: String, configuration: NavigatorConfiguration) = true

    override fun handle(
        location: String, configuration: NavigatorConfiguration, activity: HotwireActivity
    ): Router.Decision {
        // Not inside this call: a reset changes the pages that the navigator is working on.
        val main = Handler(Looper.getMainLooper())
        if (signIn.decide(location) != LinkPolicy.Decision.WebView) {
            main.post { signIn.pageRequested(location) }
            return Router.Decision.CANCEL
        }
        val navigator = activity.delegate.currentNavigator ?: return Router.Decision.NAVIGATE
        // The sign-in has taken the place of the start page. Hotwire hands the next page to the one below a modal, and
        // there is none: the start page comes back first.
        val isOnlyPage = navigator.isAtStartDestination() && navigator.location?.let(policy::isSignInPage) == true
        if (!isOnlyPage || policy.isSignInPage(location)) return Router.Decision.NAVIGATE
        main.post { navigator.reset { navigator.route(location) } }
        return Router.Decision.CANCEL
    }
}
