// Shows every moment of the page in the browser's own time zone and form. Without this file it stands there in UTC. A page with
// something that is about to end loads itself again, once.
"use strict";
(function () {
    show();
    var loaded = performance.getEntriesByType("navigation")[0];
    if (document.querySelector("[data-reload]") && loaded && loaded.type !== "reload") {
        setTimeout(function () { location.reload(); }, 2000);
    }
    // An app that brings Turbo loads this file once and shows many pages.
    document.addEventListener("turbo:render", show);

    function show() {
        var language = form(document.documentElement.lang);
        document.querySelectorAll("time[datetime]").forEach(function (place) {
            var moment = new Date(place.dateTime);
            if (isNaN(moment)) { return; }
            var full = moment.toLocaleString(language, { dateStyle: "long", timeStyle: "short" });
            // "2 hours ago" stays: the full time is there for who points at it.
            if (place.className === "ago") { place.title = full; } else { place.textContent = full; }
        });
    }

    // The browser's own form of the page's language: en-GB has the day before the month, en-US after it.
    function form(language) {
        return navigator.languages.find(function (own) { return own.split("-")[0] === language.split("-")[0]; }) || language;
    }
})();
