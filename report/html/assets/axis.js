"use strict";

// The axis of time. Ticks fall on round wall times of the chosen offset.

const second = 1000, minute = 60 * second, hour = 60 * minute, oneDay = 24 * hour;

const timeSteps = [
  1, 2, 5, 10, 20, 50, 100, 200, 500,
  ...[1, 2, 5, 10, 15, 30].map((n) => n * second),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * minute),
  ...[1, 2, 3, 4, 6, 12].map((n) => n * hour),
  ...[1, 2, 4, 7, 14, 28, 56, 91, 182, 365, 730, 1825, 3650, 18250].map((n) => n * oneDay),
];

/** timeTicks are the multiples of step, counted in wall time, in [min, max]. */
function timeTicks(min, max, step, offset) {
  const ticks = [];
  for (let t = Math.ceil((min + offset) / step) * step - offset; t <= max && ticks.length < 200; t += step) ticks.push(t);
  return ticks;
}

/** timeLabels are the ticks' texts; the day is named where it changes. */
function timeLabels(ticks, step, offset) {
  let last = "";
  return ticks.map((t) => {
    const date = day(t, offset);
    const changed = date !== last;
    last = date;
    if (step >= oneDay) return date;
    let time = clock(t, offset, step < second);
    if (step >= minute) time = time.slice(0, 5);
    return changed ? time + "\n" + date : time;
  });
}

/** xAxis is uPlot's axis for x of a chart. */
function xAxis(chart, colors, zoneOffset) {
  const axis = {
    label: chart.data.x, labelSize: 20, labelFont: font, font, size: 44,
    stroke: colors.text, grid: { stroke: colors.grid, width: 1 }, ticks: { stroke: colors.grid, width: 1 },
  };
  if (!chart.data.time) {
    axis.values = (u, ticks) => ticks.map((v) => compact(v, ""));
    return axis;
  }
  axis.label = "time (" + zoneName() + ")";
  axis.incrs = timeSteps;
  axis.space = 80;
  axis.splits = (u, i, min, max, step) => timeTicks(min, max, step, zoneOffset());
  axis.values = (u, ticks, i, space, step) => timeLabels(ticks, step, zoneOffset());
  return axis;
}

/** yAxis is uPlot's axis for a scale of values. */
function yAxis(scale, label, unit, colors) {
  return {
    scale, label, labelSize: 20, labelFont: font, font, size: 64, side: scale === "y" ? 3 : 1, stroke: colors.text,
    grid: { show: scale === "y", stroke: colors.grid, width: 1 }, ticks: { stroke: colors.grid, width: 1 },
    values: (u, ticks) => ticks.map((v) => compact(v, unit)),
  };
}
