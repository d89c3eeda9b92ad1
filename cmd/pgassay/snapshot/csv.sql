
-- The files of one capture bear the database's name and the time.
select /* pgassay */ regexp_replace(current_database(), '[^A-Za-z0-9_]', '_', 'g') || '-' || to_char(now(), 'YYYYMMDD"T"HH24MISS"Z"') as capture
\gset
\! mkdir -p {{.Dir}}
