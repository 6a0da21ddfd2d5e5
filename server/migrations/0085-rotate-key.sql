-- Works with programs from 0032 on.
--
-- The key can be replaced: docs/decisions/0046-keys.md. A program from before knows one key, and does not start with a
-- new one until everything is encrypted with it.

-- The value by which the database knows a new key, as `secret_check` does the one before. Null while there is one key.
alter table installation add next_check bytea;
-- The key of the hashes of forgotten numbers, encrypted with SECRET_KEY. Null before the first start with this table.
alter table installation add number_key_cipher bytea;
