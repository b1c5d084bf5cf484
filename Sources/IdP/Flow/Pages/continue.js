// Goes on to the service after the delay that the link names, in seconds. Replaces this page in the history, so that Back
// leads to the service's own page; and stays where it is when a user comes back here all the same.
"use strict";
(function () {
    var seen = new WeakSet();
    start();
    // An app that brings Turbo loads this file once and shows many pages.
    document.addEventListener("turbo:render", start);

    function start() {
        var link = document.getElementById("continue");
        var other = document.getElementById("other");
        var entry = performance.getEntriesByType("navigation")[0];
        if (!link || seen.has(link) || (entry && entry.type === "back_forward")) { return; }
        seen.add(link);
        var timer = setTimeout(function () { location.replace(link.href); }, Number(link.dataset.delay) * 1000);
        function stop() { clearTimeout(timer); }
        window.addEventListener("pagehide", stop);
        document.addEventListener("turbo:before-render", stop);
        link.addEventListener("click", stop);
        if (!other) { return; }
        // A user who reaches for another account needs more time than the delay.
        ["click", "focus"].forEach(function (event) {
            other.addEventListener(event, function () {
                stop();
                document.querySelectorAll("main [role=status], .progress").forEach(function (place) { place.hidden = true; });
            });
        });
    }
})();
