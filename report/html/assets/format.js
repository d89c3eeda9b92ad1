"use strict";

// Numbers and times as text. Nothing here reads the browser's zone or locale:
// a time is shifted by the chosen offset and read as UTC.

/** group puts thousands separators into the digits before the point. */
function group(s) {
  const [whole, rest] = s.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return rest === undefined ? grouped : grouped + "." + rest;
}

/** plainNumber shows three significant digits, and whole numbers in full. */
function plainNumber(v) {
  const size = Math.abs(v);
  if (size !== 0 && (size < 1e-4 || size >= 1e15)) return v.toExponential(2);
  if (Number.isInteger(v) || size >= 1000) return group(v.toFixed(0));
  const decimals = size === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(size)));
  return v.toFixed(Math.min(decimals, 8)).replace(/\.?0+$/, "");
}

const bytesNames = ["bytes", "kB", "MB", "GB", "TB", "PB"];

/** quantity is a value with its unit, as the rest of the report writes it. */
function quantity(v, unit) {
  if (v === null || v === undefined) return "";
  switch (unit) {
    case "fraction": return plainNumber(100 * v) + " %";
    case "us": return quantity(v / 1000, "ms");
    case "s": return quantity(v * 1000, "ms");
    case "ms": {
      const size = Math.abs(v);
      if (size >= 6e5) return plainNumber(v / 6e4) + " min";
      return size >= 1000 ? plainNumber(v / 1000) + " s" : plainNumber(v) + " ms";
    }
    case "bytes": {
      let i = 0;
      for (; Math.abs(v) >= 10240 && i < bytesNames.length - 1; i++) v /= 1024;
      return plainNumber(v) + " " + bytesNames[i];
    }
    case "x": return plainNumber(v) + "x";
  }
  return unit ? plainNumber(v) + " " + unit : plainNumber(v);
}

/** compact is a tick of an axis. */
function compact(v, unit) {
  if (["fraction", "us", "s", "ms", "bytes"].includes(unit)) return quantity(v, unit);
  const size = Math.abs(v);
  for (const [from, name] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e4, "k"]]) {
    if (size >= from && size < 1e15) return plainNumber(v / (name === "k" ? 1e3 : from)) + name;
  }
  return plainNumber(v);
}

const two = (n) => String(n).padStart(2, "0");

/** clock is the wall time at ms since the epoch, offset ms east of UTC. */
function clock(ms, offset, withMillis) {
  const d = new Date(ms + offset);
  const time = two(d.getUTCHours()) + ":" + two(d.getUTCMinutes()) + ":" + two(d.getUTCSeconds());
  return withMillis ? time + "." + String(d.getUTCMilliseconds()).padStart(3, "0") : time;
}

/** day is the date at ms since the epoch, offset ms east of UTC. */
function day(ms, offset) {
  const d = new Date(ms + offset);
  return d.getUTCFullYear() + "-" + two(d.getUTCMonth() + 1) + "-" + two(d.getUTCDate());
}

/** element makes an element with a class and a text, which stays text. */
function element(name, className, text) {
  const e = document.createElement(name);
  if (className) e.className = className;
  if (text !== undefined) e.textContent = text;
  return e;
}

/** say tells screen readers what has changed. */
function say(text) {
  document.getElementById("said").textContent = text;
}
