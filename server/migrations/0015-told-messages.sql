-- Messages, too: a dashboard open elsewhere counts them. One without an instance is seen by whoever wrote it (and Admins).

create function tell_messages() returns trigger language plpgsql as $$
begin
  perform pg_notify('sendroom_changes', jsonb_build_array(
    jsonb_build_object('feature', 'messages', 'id', null, 'instanceId', instance_id, 'userId', writer))::text)
  from (
    select distinct instance_id, case when instance_id is null then created_by_user_id end as writer from touched
  ) as seen;
  return null;
end $$;

create trigger messages_told_insert after insert on messages
  referencing new table as touched for each statement execute function tell_messages();
-- Another instance may see it from now on, or no more.
create trigger messages_told_update after update on messages
  referencing new table as touched for each statement execute function tell_messages();
create trigger messages_told_leave after update on messages
  referencing old table as touched for each statement execute function tell_messages();
create trigger messages_told_delete after delete on messages
  referencing old table as touched for each statement execute function tell_messages();
