-- Works with programs from 0021 on. An older worker can't read these addresses: its attempts fail, and are repeated.
--
-- The address of a receiver often has a token in it, so it is encrypted like the tokens of accounts. `url` is empty then.
-- A worker encrypts at its start what older programs have stored.
alter table webhook_receivers add url_cipher bytea;
