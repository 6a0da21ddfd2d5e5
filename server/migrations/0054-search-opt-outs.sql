-- Works with programs from 0032 on.
--
-- Opt-outs are found by number, words and note.
alter table opt_outs add search_text text
  generated always as (unaccent_lower(coalesce(phone, '') || ' ' || coalesce(lid, '') || ' ' || words)) stored;
create index opt_outs_search on opt_outs using gin (search_text gin_trgm_ops);
