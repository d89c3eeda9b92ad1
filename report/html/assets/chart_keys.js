"use strict";

// What a mouse does to a chart, a keyboard can too.

/** zoomTo shows [min, max] of x, kept within the data and never empty. */
function zoomTo(chart, min, max) {
  const [low, high] = chart.full;
  const width = Math.min(max - min, high - low);
  if (!(width > 0)) return;
  min = Math.max(low, Math.min(min, high - width));
  chart.plot.setScale("x", { min, max: min + width });
}

function resetZoom(chart) {
  zoomTo(chart, ...chart.full);
}

/** zoomBy scales the visible span around its cursor, else its middle. */
function zoomBy(chart, factor) {
  const { min, max } = chart.plot.scales.x;
  const row = chart.plot.cursor.idx;
  let at = row === null || row === undefined ? (min + max) / 2 : chart.values[0][row];
  if (!(at >= min && at <= max)) at = (min + max) / 2;
  zoomTo(chart, at - (at - min) * factor, at + (max - at) * factor);
}

/** step moves the cursor by rows and says what stands there. */
function step(chart, by) {
  const xs = chart.values[0];
  if (xs.length === 0) return;
  const { min, max } = chart.plot.scales.x;
  const old = chart.plot.cursor.idx;
  let row = old === null || old === undefined ? xs.findIndex((x) => x >= min) : old + by;
  row = Math.max(0, Math.min(xs.length - 1, row));
  if (xs[row] < min || xs[row] > max) {
    const shift = xs[row] < min ? xs[row] - min : xs[row] - max;
    zoomTo(chart, min + shift, max + shift);
  }
  chart.plot.setCursor({ left: chart.plot.valToPos(xs[row], "x"), top: chart.plot.over.clientHeight / 3 });
  say(tipLines(chart, row).map((l) => l.text).join(", "));
}

function onKey(chart, event) {
  const { min, max } = chart.plot.scales.x;
  const acts = {
    ArrowLeft: () => step(chart, event.shiftKey ? -10 : -1),
    ArrowRight: () => step(chart, event.shiftKey ? 10 : 1),
    PageUp: () => zoomTo(chart, min - (max - min) / 2, max - (max - min) / 2),
    PageDown: () => zoomTo(chart, min + (max - min) / 2, max + (max - min) / 2),
    "+": () => zoomBy(chart, 0.5),
    "=": () => zoomBy(chart, 0.5),
    "-": () => zoomBy(chart, 2),
    0: () => resetZoom(chart),
    Escape: () => {
      resetZoom(chart);
      chart.plot.setCursor({ left: -10, top: -10 });
    },
  };
  if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(acts, event.key)) return;
  event.preventDefault();
  acts[event.key]();
}
