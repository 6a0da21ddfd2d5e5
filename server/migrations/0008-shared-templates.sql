-- An Admin's message without an instance is a shared template: every Member reads it and uses it in jobs. The fact is kept
-- with the message, so that the template stays when its author is deleted or becomes a Member.
alter table messages add column created_by_admin boolean not null default false;

update messages m set created_by_admin = true
from users u where u.id = m.created_by_user_id and u.role = 'Admin';

-- Everybody sees a shared template. Only its author (and every Admin) sees another message without an instance.
create or replace function notify_messages() returns trigger language plpgsql as $$
begin
  perform pg_notify('sendroom_changes', jsonb_build_array(
    jsonb_build_object('feature', 'messages', 'id', null, 'instanceId', instance_id, 'userId', author,
      'isShared', is_shared))::text)
  from (
    select distinct instance_id, instance_id is null and created_by_admin as is_shared,
      case when instance_id is null and not created_by_admin then created_by_user_id end as author
    from touched
  ) as audiences;
  return null;
end $$;
