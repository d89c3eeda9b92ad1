"use strict";

// Tables that sort by a click on a header and filter by words.

/** key is what a cell sorts by: a number, else its text; null is last. */
function key(row, column) {
  const cell = row.cells[column];
  if (cell.classList.contains("absent") || (cell.dataset.v === undefined && cell.textContent === "")) return null;
  return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
}

function compareKeys(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** sortBy orders the rows by a column; numbers begin with the greatest. */
function sortBy(table, column) {
  const headers = table.tHead.rows[0].cells;
  const header = headers[column];
  const first = header.classList.contains("n") ? "descending" : "ascending";
  const second = first === "ascending" ? "descending" : "ascending";
  const order = header.getAttribute("aria-sort") === first ? second : first;
  for (const h of headers) h.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", order);
  const sign = order === "ascending" ? 1 : -1;
  const rows = [...table.tBodies[0].rows].map((row) => ({ row, key: key(row, column) }));
  rows.sort((a, b) => {
    if (a.key === null || b.key === null) return (a.key === null) - (b.key === null);
    return sign * compareKeys(a.key, b.key);
  });
  table.tBodies[0].append(...rows.map((r) => r.row));
  say("sorted by " + header.textContent + ", " + order);
}

/** filterRows shows the rows that have every word, and how many they are. */
function filterRows(table, words, count) {
  const rows = table.tBodies[0].rows;
  let shown = 0;
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every((w) => text.includes(w));
    if (!row.hidden) shown++;
  }
  const all = rows.length + (rows.length === 1 ? " row" : " rows");
  count.textContent = shown === rows.length ? all : shown + " of " + all;
}

function startTable(section) {
  const table = section.querySelector("table");
  const title = section.querySelector("h2").textContent;
  [...table.tHead.rows[0].cells].forEach((header, column) => {
    const button = element("button", "", header.textContent);
    button.type = "button";
    button.addEventListener("click", () => sortBy(table, column));
    header.replaceChildren(button);
  });
  const bar = element("p", "filter");
  const label = element("label", "", "Filter ");
  const input = element("input");
  input.type = "search";
  input.setAttribute("aria-label", "Filter " + title);
  label.append(input);
  const count = element("span", "small");
  count.setAttribute("role", "status");
  bar.append(label, count);
  section.querySelector(".scroll").before(bar);
  const filter = () => filterRows(table, input.value.toLowerCase().split(/\s+/).filter(Boolean), count);
  input.addEventListener("input", filter);
  filter();
}

function startTables() {
  document.querySelectorAll("section.rows").forEach(startTable);
}
