-- Searches ignore case and accents: they compare what `plain` makes of what is stored and of what was typed. The pickers
-- in the browser do the same by themselves: web/src/ui/search.ts.
--
-- `return` has its names looked up now: where an index or a restored dump is built, no schema of ours is looked through.
-- Text in ASCII, such as phone numbers, is passed on as it is: there it takes a fifth of the time.

create function plain(text) returns text language sql immutable parallel safe
return lower(case when octet_length($1) = length($1) then $1
  else translate(regexp_replace(normalize($1, nfkd), '[\u0300-\u036f]', '', 'g'), 'đĐ', 'dD') end);

-- The pattern, for `like`, that finds what was typed anywhere and takes it literally. Plain first: a wide ％ becomes a %.
create function containing(typed text) returns text language sql immutable parallel safe
return '%' || regexp_replace(plain(typed), '[\\%_]', '\\\&', 'g') || '%';

-- Kept in a column: a search looks at many long texts, and making each plain anew would take it many times as long.

alter table users add column found_by text generated always as (plain(username || ' ' || email)) stored;
alter table instances add column found_by text generated always as (plain(name || ' ' || whats_app_number)) stored;
alter table groups add column found_by text generated always as (plain(name)) stored;
alter table messages add column found_by text generated always as (plain(text_content)) stored;
alter table jobs add column found_by text generated always as (plain(text_content)) stored;

drop index users_search, instances_search, groups_search, messages_search, jobs_search;
create index users_search on users using gin (found_by gin_trgm_ops);
create index instances_search on instances using gin (found_by gin_trgm_ops);
create index groups_search on groups using gin (found_by gin_trgm_ops);
create index messages_search on messages using gin (found_by gin_trgm_ops);
create index jobs_search on jobs using gin (found_by gin_trgm_ops);

-- Else the planner would know nothing of these columns until autovacuum comes, to a table that rests perhaps never.
analyze users (found_by), instances (found_by), groups (found_by), messages (found_by), jobs (found_by);
