select now() as captured_at, current_database() as datname, s.*
from :"statements_schema".pg_stat_statements_info s
