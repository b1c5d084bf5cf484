package com.example.app

import dev.hotwire.core.turbo.errors.HttpError
import dev.hotwire.core.turbo.errors.VisitError
import dev.hotwire.navigation.destinations.HotwireDestinationDeepLink
import dev.hotwire.navigation.fragments.HotwireWebFragment

/** A page. It reports to [SignIn] what the server answered. */
@HotwireDestinationDeepLink(uri = "hotwire://fragment/web")
class WebFragment : HotwireWebFragment() {
    private val signIn get() = (requireActivity().application as App).signIn

    override fun onVisitCompleted(location: String, completedOffline: Boolean) {
        super.onVisitCompleted(location, completedOffline)
        signIn.pageShown(location)
    }

    override fun onVisitErrorReceived(location: String, error: VisitError) {
        if (error is HttpError.ClientError.Unauthorized) return signIn.unauthorized(location)
        signIn.pageFailed(location, (error as? HttpError)?.statusCode)
        super.onVisitErrorReceived(location, error)
    }
}
