"use strict";

// The switches of the page, and what happens when it is printed.

const zoneSelect = document.getElementById("zone");
const themeSelect = document.getElementById("theme");

/** zoneOffset is the chosen zone in ms east of UTC. */
function zoneOffset() {
  return zoneSelect ? Number(zoneSelect.value) : 0;
}

function zoneName() {
  return zoneSelect ? zoneSelect.selectedOptions[0].textContent : "UTC";
}

function applyZone() {
  for (const t of document.querySelectorAll("time[data-ms]")) {
    const ms = Number(t.dataset.ms);
    t.textContent = day(ms, zoneOffset()) + " " + clock(ms, zoneOffset(), false);
  }
  redraw();
}

function applyTheme() {
  if (themeSelect.value) document.documentElement.dataset.theme = themeSelect.value;
  else delete document.documentElement.dataset.theme;
  redraw();
}

// Printing is light, nothing stays folded, and charts have the width of a sheet
// whatever the window has; afterwards all is as before.
const sheetWidth = 680;
let folded = [];

function beforePrint() {
  folded = [...document.querySelectorAll("details:not([open])")];
  folded.forEach((d) => (d.open = true));
  document.documentElement.dataset.theme = "light";
  for (const chart of charts) draw(chart, sheetWidth);
}

function afterPrint() {
  folded.forEach((d) => (d.open = false));
  folded = [];
  applyTheme();
}

function start() {
  document.querySelector(".switches").hidden = false;
  themeSelect.addEventListener("change", applyTheme);
  if (zoneSelect) zoneSelect.addEventListener("change", applyZone);
  document.getElementById("print").addEventListener("click", () => print());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  addEventListener("beforeprint", beforePrint);
  addEventListener("afterprint", afterPrint);
  addEventListener("hashchange", openTarget);
  startTables();
  startPlans();
  startCharts();
  openTarget();
}

start();
