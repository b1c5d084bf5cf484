// Sends the form of the first page at once. A user who comes back here with the Back button stays.
"use strict";
(function () {
    var entry = performance.getEntriesByType("navigation")[0];
    if (entry && entry.type === "back_forward") { return; }
    document.getElementById("native-start").submit();
})();
