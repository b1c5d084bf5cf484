// Goes on to the service two seconds after the page is shown. Replaces this page in the history, so that Back leads to
// the service's own page; and stays where it is when somebody comes back here all the same.
"use strict";
(function () {
    var link = document.getElementById("continue");
    var entry = performance.getEntriesByType("navigation")[0];
    if (!link || (entry && entry.type === "back_forward")) { return; }
    var timer = setTimeout(function () { location.replace(link.href); }, 2000);
    window.addEventListener("pagehide", function () { clearTimeout(timer); });
    link.addEventListener("click", function () { clearTimeout(timer); });
})();
