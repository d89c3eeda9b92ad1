"use strict";

// Plan trees whose branches fold.

/** foldTree hides the rows below each folded one. */
function foldTree(rows) {
  let hideFrom = Infinity;
  for (const row of rows) {
    const depth = Number(row.dataset.depth);
    if (depth < hideFrom) hideFrom = Infinity;
    row.hidden = depth >= hideFrom;
    const button = row.querySelector("button.fold");
    if (!row.hidden && button && button.getAttribute("aria-expanded") === "false") hideFrom = depth + 1;
  }
}

function startPlan(table) {
  const rows = [...table.tBodies[0].rows];
  rows.forEach((row, i) => {
    const next = rows[i + 1];
    if (!next || Number(next.dataset.depth) <= Number(row.dataset.depth)) return;
    const button = element("button", "fold", "▾");
    button.type = "button";
    button.setAttribute("aria-expanded", "true");
    button.setAttribute("aria-label", "Children of " + row.querySelector(".label").textContent);
    button.addEventListener("click", () => {
      const open = button.getAttribute("aria-expanded") === "false";
      button.setAttribute("aria-expanded", String(open));
      button.textContent = open ? "▾" : "▸";
      foldTree(rows);
    });
    row.querySelector(".what").prepend(button);
  });
}

function startPlans() {
  document.querySelectorAll("table.tree").forEach(startPlan);
}

/** openTarget unfolds what a link points at. */
function openTarget() {
  const target = document.getElementById(location.hash.slice(1));
  if (target instanceof HTMLDetailsElement) target.open = true;
}
