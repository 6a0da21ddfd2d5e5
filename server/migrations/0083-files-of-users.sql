-- Works with programs from 0032 on.
--
-- The same content is kept once for each user, not once for all: docs/decisions/0040-files.md. No released program
-- knows this table.

drop index files_user;
alter table files
  drop constraint files_sha256_key,
  add constraint files_user_content unique (user_id, sha256) include (size);
