-- Works with programs from 0014 on.
--
-- A statement may take 30 s, and years of entries take longer to delete. So a call deletes one slice, and callers repeat it
-- until nothing is left. A program of the release before calls it once a day.
create or replace function delete_old_audit(days int) returns bigint language plpgsql security definer
set search_path = public, pg_temp as $$
declare
  deleted bigint;
begin
  if days is null or days < 30 then
    raise exception 'audit entries are kept for at least 30 days, not %', days;
  end if;
  delete from audit_log where id in (
    select id from audit_log where at < clock_now() - days * interval '1 day' order by at, id limit 5000);
  get diagnostics deleted = row_count;
  return deleted;
end $$;
