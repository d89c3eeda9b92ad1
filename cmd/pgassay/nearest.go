package main

import "strings"

// longestTyped bounds what is compared of a typing error, in bytes.
const longestTyped = 64

// nearest is the name that was probably meant: one that contains what was typed
// or is a few typing errors away; "" if none is. Of equal ones it is the first.
func nearest(typed string, names []string) string {
	typed = strings.ToLower(typed[:min(len(typed), longestTyped)])
	best, least := "", max(len(typed)/3, 2)+1
	for _, name := range names {
		d := editDistance(typed, strings.ToLower(name))
		if len(typed) > 2 && strings.Contains(strings.ToLower(name), typed) {
			d = 0
		}
		if d < least {
			best, least = name, d
		}
	}
	return best
}

// editDistance counts the bytes to insert, delete or replace (Levenshtein).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
