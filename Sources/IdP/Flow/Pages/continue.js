// Goes on to the service after the delay, in seconds, that the link or the form of the page names. Without this file the user
// presses the button. A link replaces this page in the history, so that Back leads to the service's own page; and who comes back
// here all the same stays.
"use strict";
(function () {
    var seen = new WeakSet();
    start();
    // An app that brings Turbo loads this file once and shows many pages.
    document.addEventListener("turbo:render", start);

    function start() {
        var way = document.getElementById("continue");
        var other = document.getElementById("other");
        var entry = performance.getEntriesByType("navigation")[0];
        if (!way || seen.has(way)) { return; }
        seen.add(way);
        var isForm = way.tagName === "FORM";
        if (isForm) { sendOnce(way); }
        if (!("delay" in way.dataset) || (entry && entry.type === "back_forward")) { return; }
        var timer = setTimeout(go, Number(way.dataset.delay) * 1000);
        function go() {
            if (!isForm) { location.replace(way.href); } else if (way.requestSubmit) { way.requestSubmit(); } else { way.submit(); }
        }
        function stop() { clearTimeout(timer); }
        window.addEventListener("pagehide", stop);
        document.addEventListener("turbo:before-render", stop);
        way.addEventListener(isForm ? "submit" : "click", stop);
        if (!other) { return; }
        // A user who reaches for another account needs more time than the delay.
        ["click", "focus"].forEach(function (event) {
            other.addEventListener(event, function () {
                stop();
                document.querySelectorAll("main [role=status], .progress").forEach(function (place) { place.hidden = true; });
            });
        });
    }

    // An answer is good for one use.
    function sendOnce(form) {
        form.addEventListener("submit", function (event) {
            if (form.dataset.sent) { event.preventDefault(); return; }
            form.dataset.sent = "yes";
        });
        window.addEventListener("pageshow", function () { delete form.dataset.sent; });
    }
})();
