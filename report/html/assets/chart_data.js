"use strict";

// The data of a chart as uPlot wants them: one list of x in order, and for each
// line a list of y with null where it has no point.

/** aligned merges the columns, and the fitted line as the last one. */
function aligned(data) {
  const lines = data.columns.map((c) => [c.x, c.y]);
  if (data.fit) lines.push([data.fit.map((p) => p[0]), data.fit.map((p) => p[1])]);
  const points = [];
  lines.forEach(([xs, ys], line) => xs.forEach((x, i) => points.push({ x, y: ys[i], line })));
  points.sort((a, b) => a.x - b.x || a.line - b.line);
  const out = [[], ...lines.map(() => [])];
  const [xs] = out;
  for (const p of points) {
    let row = xs.length - 1;
    if (row < 0 || xs[row] !== p.x || out[p.line + 1][row] !== null) {
      xs.push(p.x);
      row = xs.length - 1;
      for (let i = 1; i < out.length; i++) out[i].push(null);
    }
    out[p.line + 1][row] = p.y;
  }
  return out;
}

/** nearest is the row of the point of a line that is nearest to row; -1. */
function nearest(values, row) {
  for (let d = 0; d < values.length; d++) {
    if (row - d >= 0 && values[row - d] !== null) return row - d;
    if (row + d < values.length && values[row + d] !== null) return row + d;
  }
  return -1;
}

/** padded is [min, max] with a margin; a single value gets room around it. */
function padded(min, max, fromZero) {
  if (min === null || max === null || min > max) return [0, 1];
  const room = min === max ? Math.abs(min) * 0.1 || 1 : (max - min) * 0.05;
  const low = fromZero && min >= 0 ? 0 : min - room;
  return [low, max + room];
}

/** extent is the least and greatest x, marks included; a cloud has a margin. */
function extent(chart) {
  const xs = chart.values[0].concat((chart.data.marks || []).map((m) => m.x));
  let [low, high] = [Infinity, -Infinity];
  for (const x of xs) {
    low = Math.min(low, x);
    high = Math.max(high, x);
  }
  if (low > high) return [0, 1];
  if (!chart.data.time) return padded(low, high, false);
  return low === high ? [low - minute / 2, high + minute / 2] : [low, high];
}
