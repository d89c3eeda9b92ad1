// Package html writes a View as one page that works offline: the story first,
// findings with interactive charts, then tables and plans. Without JavaScript
// the story, figures, tables and plans are all there; charts are not.
//
// The page makes no request. Its content security policy allows its own style
// and script by their hash and nothing else; data stand in blocks of JSON. All
// texts go through package view and then html/template, or, in the script,
// through textContent. Equal views give equal bytes.
//
// Charts are drawn by uPlot (assets/uPlot.*, MIT licence, by Leon Sorokin).
//
// Next stop: html.go, assets/page.html, then assets/charts.js.
package html
