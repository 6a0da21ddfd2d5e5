-- Groups, jobs and messages show the name of their account, and go with it: pages open elsewhere hear of both.

create function tell_name() returns trigger language plpgsql as $$
begin
  perform tell_change('groups', old.id, old.id);
  perform tell_change('jobs', null, old.id);
  perform tell_change('messages', null, old.id);
  return null;
end $$;

create trigger instances_told_name after update of name on instances
  for each row when (old.name is distinct from new.name) execute function tell_name();
create trigger instances_told_end after delete on instances
  for each row execute function tell_name();
