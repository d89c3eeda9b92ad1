select now() as captured_at, s.database as datname, s.*, age(s.transaction) as transaction_age
from pg_prepared_xacts s
