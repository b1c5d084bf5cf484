// Sends the form to the service after the delay that it names, in seconds, and only once. Without this file the user presses the
// button. Stays where it is when a user comes back here with the Back button.
"use strict";
(function () {
    var seen = new WeakSet();
    start();
    // An app that brings Turbo loads this file once and shows many pages.
    document.addEventListener("turbo:render", start);

    function start() {
        var form = document.getElementById("answer");
        var other = document.getElementById("other");
        var entry = performance.getEntriesByType("navigation")[0];
        if (!form || seen.has(form)) { return; }
        seen.add(form);
        form.addEventListener("submit", function (event) {
            if (form.dataset.sent) { event.preventDefault(); return; }
            form.dataset.sent = "yes";
        });
        window.addEventListener("pageshow", function () { delete form.dataset.sent; });
        if (!("delay" in form.dataset) || (entry && entry.type === "back_forward")) { return; }
        var timer = setTimeout(send, Number(form.dataset.delay) * 1000);
        function send() { if (form.requestSubmit) { form.requestSubmit(); } else { form.submit(); } }
        function stop() { clearTimeout(timer); }
        window.addEventListener("pagehide", stop);
        document.addEventListener("turbo:before-render", stop);
        form.addEventListener("submit", stop);
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
