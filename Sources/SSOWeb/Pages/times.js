// Shows every moment of the page in the browser's own time zone and form. Without this file it stands there in UTC.
"use strict";
document.querySelectorAll("time[datetime]").forEach(function (place) {
    var moment = new Date(place.dateTime);
    if (isNaN(moment)) { return; }
    place.textContent = moment.toLocaleString(document.documentElement.lang, { dateStyle: "long", timeStyle: "short" });
});
