"use strict";

// The charts: one uPlot for each figure, made when the figure is visible.

const font = "12px system-ui, sans-serif";
const charts = [];

function paint() {
  const style = getComputedStyle(document.documentElement);
  const color = (name) => style.getPropertyValue("--" + name).trim();
  return {
    text: color("text"), faint: color("faint"), grid: color("grid"), mark: color("mark"), back: color("back"), fit: color("fit"),
    lines: ["c1", "c2", "c3", "c4", "c5", "c6"].map(color),
  };
}

const lineColor = (chart, i) => (i < chart.data.columns.length ? chart.colors.lines[i % 6] : chart.colors.fit);

/** makeChart remembers the chart of a figure; draw draws it. */
function makeChart(figure, data) {
  const chart = { figure, data, values: aligned(data), plot: null, hidden: new Set(), colors: null };
  chart.full = extent(chart);
  chart.keys = element("div", "legend");
  chart.box = element("div", "chart");
  chart.box.tabIndex = 0;
  chart.box.setAttribute("role", "group");
  chart.box.setAttribute("aria-label", data.title + ". Chart. Arrow keys read the points, plus and minus zoom, 0 shows all.");
  chart.tip = element("div", "tip");
  chart.tip.hidden = true;
  chart.box.addEventListener("keydown", (e) => onKey(chart, e));
  figure.querySelector("figcaption").after(chart.keys, chart.box);
  new ResizeObserver(() => resize(chart)).observe(chart.box);
  charts.push(chart);
}

function resize(chart) {
  const width = Math.floor(chart.box.clientWidth);
  if (width < 50) return;
  if (!chart.plot) draw(chart);
  else if (width !== chart.plot.width) chart.plot.setSize({ width, height: chart.plot.height });
}

/** draw makes the plot anew, in the present colours and zone. */
function draw(chart, width = Math.floor(chart.box.clientWidth)) {
  if (width < 50) return;
  const view = chart.plot && { ...chart.plot.scales.x };
  if (chart.plot) chart.plot.destroy();
  chart.colors = paint();
  chart.plot = new uPlot(plotOptions(chart, width), chart.values, chart.box);
  chart.plot.over.append(chart.tip);
  legend(chart);
  if (view) zoomTo(chart, view.min, view.max);
}

function plotOptions(chart, width) {
  const { data, colors } = chart;
  const primary = data.columns.find((c) => !c.secondary);
  const secondary = data.columns.find((c) => c.secondary);
  const range = (u, min, max) => padded(min, max, true);
  const options = {
    width, height: Math.min(360, Math.max(240, Math.round(width * 0.42))), legend: { show: false }, padding: [18, 28, 0, 0],
    scales: { x: { time: false, range: (u, min, max) => (min === null ? chart.full : [min, max]) }, y: { range } },
    axes: [xAxis(chart, colors, zoneOffset), yAxis("y", primary ? data.y : "", primary && primary.unit, colors)],
    series: [{}, ...data.columns.map((c, i) => lineOptions(chart, c, i))],
    cursor: { y: false, drag: { x: true, y: false }, points: { show: false } },
    hooks: { draw: [(u) => drawMarks(chart, u)], setCursor: [(u) => showTip(chart, u)], ready: [(u) => zoomFull(chart, u)] },
  };
  if (secondary) {
    options.scales.y2 = { range };
    options.axes.push(yAxis("y2", secondary.name, secondary.unit, colors));
  }
  if (data.fit) {
    options.series.push({
      label: "fitted line", stroke: colors.fit, width: 2, dash: [6, 4], spanGaps: true, points: { show: false },
      show: !chart.hidden.has(data.columns.length),
    });
  }
  return options;
}

function zoomFull(chart, u) {
  u.setScale("x", { min: chart.full[0], max: chart.full[1] });
}

function lineOptions(chart, column, i) {
  const stroke = lineColor(chart, i);
  const line = {
    label: column.name, scale: column.secondary ? "y2" : "y", stroke, width: 1.5, spanGaps: true, show: !chart.hidden.has(i),
    points: { show: column.x.length < 60, size: 5, fill: stroke },
  };
  if (column.secondary) line.dash = [2, 3];
  if (!chart.data.time) {
    line.paths = () => null;
    line.points = { show: true, size: 6, stroke, fill: stroke };
  }
  return line;
}

/** drawMarks draws the events as upright lines; a label that would cover the
 * one before it is left out: the list below the chart has them all. */
function drawMarks(chart, u) {
  const { ctx, bbox } = u;
  const scale = devicePixelRatio || 1;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = chart.colors.mark;
  ctx.lineWidth = scale;
  ctx.font = 12 * scale + "px system-ui, sans-serif";
  ctx.textBaseline = "bottom";
  ctx.textAlign = "left";
  let free = -Infinity;
  for (const mark of chart.data.marks || []) {
    const x = Math.round(u.valToPos(mark.x, "x", true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.setLineDash([4 * scale, 3 * scale]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    const text = fitted(ctx, mark.text, bbox.width * 0.6);
    const width = ctx.measureText(text).width;
    const left = Math.max(bbox.left, Math.min(x - width / 2, bbox.left + bbox.width - width));
    if (left < free) continue;
    ctx.fillText(text, left, bbox.top - 3 * scale);
    free = left + width + 8 * scale;
  }
  ctx.restore();
}

/** fitted shortens a text in its middle until it is at most width wide. */
function fitted(ctx, text, width) {
  for (let keep = text.length, short = text; ; short = text.slice(0, keep * 0.6) + "…" + text.slice(text.length - keep * 0.3)) {
    if (ctx.measureText(short).width <= width || keep < 8) return short;
    keep = Math.floor(keep * 0.85);
  }
}

/** tipLines is what a chart shows at a row: x, marks close by, each line. */
function tipLines(chart, row) {
  const x = chart.values[0][row];
  const { min, max } = chart.plot.scales.x;
  const lines = [{ text: chart.data.time ? day(x, zoneOffset()) + " " + clock(x, zoneOffset(), max - min < minute) + " " + zoneName() : chart.data.x + ": " + plainNumber(x) }];
  for (const mark of chart.data.marks || []) {
    if (Math.abs(mark.x - x) <= (max - min) / 100) lines.push({ text: mark.text, color: chart.colors.mark });
  }
  chart.data.columns.forEach((column, i) => {
    const at = chart.data.time ? nearest(chart.values[i + 1], row) : row;
    const y = at < 0 ? null : chart.values[i + 1][at];
    if (y === null || chart.hidden.has(i) || Math.abs(chart.values[0][at] - x) > (max - min) / 20) return;
    lines.push({ text: column.name + ": " + quantity(y, column.name.includes("(") ? "" : column.unit), color: lineColor(chart, i) });
  });
  return lines;
}

function showTip(chart, u) {
  const row = u.cursor.idx;
  chart.tip.hidden = row === null || row === undefined || u.cursor.left < 0;
  if (chart.tip.hidden) return;
  chart.tip.replaceChildren(...tipLines(chart, row).map((l) => {
    const line = element("div", "", l.text);
    if (l.color) line.style.borderLeftColor = l.color;
    return line;
  }));
  const room = u.over.clientWidth - chart.tip.offsetWidth;
  const left = u.cursor.left + 14 > room ? u.cursor.left - chart.tip.offsetWidth - 14 : u.cursor.left + 14;
  chart.tip.style.transform = "translate(" + Math.max(0, Math.min(left, room)) + "px, 8px)";
}

/** legend has a button for each line and one that shows all of x. */
function legend(chart) {
  const names = chart.data.columns.map((c) => c.name + (c.secondary ? " →" : ""));
  if (chart.data.fit) names.push("fitted line");
  const buttons = names.map((name, i) => {
    const b = element("button", "key");
    b.type = "button";
    b.setAttribute("aria-pressed", String(!chart.hidden.has(i)));
    const swatch = element("span", "swatch");
    swatch.style.background = lineColor(chart, i);
    b.append(swatch, name);
    b.addEventListener("click", () => toggle(chart, i, b));
    return b;
  });
  const all = element("button", "key", "show all");
  all.type = "button";
  all.title = "drag in the chart to zoom";
  all.addEventListener("click", () => resetZoom(chart));
  chart.keys.replaceChildren(...buttons, all);
}

function toggle(chart, i, button) {
  const show = chart.hidden.delete(i);
  if (!show) chart.hidden.add(i);
  chart.plot.setSeries(i + 1, { show });
  button.setAttribute("aria-pressed", String(show));
}

function redraw() {
  for (const chart of charts) if (chart.plot) draw(chart);
}

function startCharts() {
  const data = JSON.parse(document.getElementById("charts").textContent) || [];
  for (const figure of document.querySelectorAll("figure[data-chart]")) makeChart(figure, data[figure.dataset.chart]);
  for (const chart of charts) resize(chart);
}
