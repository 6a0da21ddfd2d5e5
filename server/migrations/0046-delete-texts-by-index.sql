-- Works with programs from 0032 on.
--
-- As in 0042-personal-texts.sql, but in one walk over the index. A session keeps the plan that it made for the first
-- deleted deliveries, often of a job without such texts, and then compared each text with each delivery: 100,000 took
-- minutes. `is true` makes PostgreSQL look the deliveries up in a hash table, whatever it believes of their number.
create or replace function delete_texts() returns trigger language plpgsql
set enable_seqscan = off set work_mem = '32MB' as $$
begin
  delete from delivery_texts
  where delivery_id between (select min(id) from gone) and (select max(id) from gone)
    and (delivery_id in (select id from gone)) is true;
  return null;
end $$;
