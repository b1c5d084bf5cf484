// Conveniences only: every form works without this file. Counts a wait down, and keeps a double click from sending a
// form twice.
"use strict";
(function () {
    document.querySelectorAll("[data-countdown]").forEach(function (place) {
        var end = Date.now() + Number(place.dataset.countdown) * 1000;
        var button = document.querySelector("[data-wait]");
        if (button) { button.disabled = true; }
        function words(seconds) {
            if (seconds <= 90) { return seconds === 1 ? "1 second" : seconds + " seconds"; }
            var minutes = Math.ceil(seconds / 60);
            return minutes <= 90 ? minutes + " minutes" : Math.ceil(minutes / 60) + " hours";
        }
        var timer = setInterval(tick, 1000);
        function tick() {
            var left = Math.ceil((end - Date.now()) / 1000);
            if (left > 0) { place.textContent = words(left); return; }
            clearInterval(timer);
            if (button) { button.disabled = false; }
            place.closest("p").hidden = true;
        }
    });
    document.querySelectorAll("form[data-once]").forEach(function (form) {
        form.addEventListener("submit", function (event) {
            if (form.dataset.sent) { event.preventDefault(); return; }
            form.dataset.sent = "yes";
        });
        window.addEventListener("pageshow", function () { delete form.dataset.sent; });
    });
})();
