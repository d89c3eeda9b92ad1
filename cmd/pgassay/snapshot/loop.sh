#!/bin/sh
# pgassay snapshot-sql, {{.Version}}: a capture of one database's statistics every
# {{.Seconds}} seconds, until it is stopped. Arguments are psql's:
#
#   sh snapshot-loop.sh -h db1 -d shop
#
# Each day's captures go to one file in {{.Dir}}, compressed: pgassay analyze reads
# it as it is. Run one for each database: the process number keeps their files
# apart.

mkdir -p {{.Dir}} || exit
snapshot() {
  psql -X "$@" <<'END_OF_SNAPSHOT'
{{.Script}}
END_OF_SNAPSHOT
}
while :; do
  day={{.Dir}}/snapshot-$(date -u +%Y%m%d)-$$.ndjson.gz
  # Appended when it is whole, so that a capture cut short spoils no other.
  snapshot "$@" | gzip > "$day.part" && cat "$day.part" >> "$day"
  rm -f "$day.part"
  sleep {{.Seconds}}
done
